import { type ErrorKind, errorKinds, GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { renderGenerateContentError } from './render-generate-content-error.ts';

test.each<[ErrorKind, number, string]>([
  ['invalid-request', 400, 'INVALID_ARGUMENT'],
  ['unauthenticated', 403, 'PERMISSION_DENIED'],
  ['not-found', 404, 'NOT_FOUND'],
  ['overloaded', 503, 'UNAVAILABLE'],
])('%s is a %i', (kind, status, name) => {
  const error = { code: status, message: 'why', status: name };
  expect(renderGenerateContentError(new GatewayError(kind, 'why'), false)).toEqual({
    status,
    body: { error },
  });
});

test.each([
  [true, { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] }],
  [false, { code: 401, status: 'UNAUTHENTICATED' }],
])('a wrong token that came as a key: %s', (byKey, error) => {
  const wrong = new GatewayError('unauthenticated', 'why', { code: 'invalid_api_key' });
  expect(renderGenerateContentError(wrong, byKey).body).toMatchObject({ error });
});

test('a field that is wrong is told by its name', () => {
  const error = new GatewayError('invalid-request', 'why', { param: 'contents[0].parts' });
  const violation = { field: 'contents[0].parts', description: 'why' };
  expect(renderGenerateContentError(error, true).body).toMatchObject({
    error: { details: [{ fieldViolations: [violation] }] },
  });
});

test('every kind is told with the status that it has', () => {
  for (const kind of errorKinds) {
    const { status, body } = renderGenerateContentError(new GatewayError(kind, 'why'), false);
    expect(body).toMatchObject({ error: { code: status } });
  }
});

test('a method that a path does not take is a 405', () => {
  const error = new GatewayError('not-found', 'why', { code: 'method_not_allowed' });
  expect(renderGenerateContentError(error, true)).toMatchObject({
    status: 405,
    body: { error: { code: 405 } },
  });
});

test('a wait is told in whole seconds', () => {
  const error = new GatewayError('rate-limited', 'why', { retryAfterMs: 1_200 });
  expect(renderGenerateContentError(error, false)).toMatchObject({
    retryAfterMs: 1_200,
    body: { error: { details: [{ retryDelay: '2s' }] } },
  });
});
