import { contextLengthCode, type ErrorKind, errorKinds, GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { renderGenerateContentError } from './render-generate-content-error.ts';

test.each<[ErrorKind, number, string]>([
  ['invalid-request', 400, 'INVALID_ARGUMENT'],
  ['unauthenticated', 403, 'PERMISSION_DENIED'],
  ['not-found', 404, 'NOT_FOUND'],
  ['overloaded', 503, 'UNAVAILABLE'],
])('an error of kind %s has status %i', (kind, status, name) => {
  const error = { code: status, message: 'why', status: name };
  expect(renderGenerateContentError(new GatewayError(kind, 'why'), false)).toEqual({
    status,
    body: { error },
  });
});

test.each([
  [true, { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] }],
  [false, { code: 401, status: 'UNAUTHENTICATED' }],
])('a wrong token has its own status if it was sent as an API key: %s', (byKey, error) => {
  const wrong = new GatewayError('unauthenticated', 'why', { code: 'invalid_api_key' });
  expect(renderGenerateContentError(wrong, byKey).body).toMatchObject({ error });
});

test('an invalid field is named in the details', () => {
  const error = new GatewayError('invalid-request', 'why', { param: 'contents[0].parts' });
  const violation = { field: 'contents[0].parts', description: 'why' };
  expect(renderGenerateContentError(error, true).body).toMatchObject({
    error: { details: [{ fieldViolations: [violation] }] },
  });
});

const vendors = 'The input token count (12) exceeds the maximum number of tokens allowed (8).';
test.each([
  ['prompt is too long: 12 tokens > 8 maximum', contextLengthCode, true],
  [vendors, contextLengthCode, false],
  ['why', 'invalid_value', false],
])(
  'the message %s about a prompt that is too long has the words that clients look for',
  (text, code, added) => {
    const { body } = renderGenerateContentError(new GatewayError('invalid-request', text, { code }), true);
    const { message } = Object(body).error;
    expect(message).toBe(
      added ? `The input token count exceeds the maximum number of tokens allowed. ${text}` : text,
    );
  },
);

test('the code in the body of every kind is its HTTP status', () => {
  for (const kind of errorKinds) {
    const { status, body } = renderGenerateContentError(new GatewayError(kind, 'why'), false);
    expect(body).toMatchObject({ error: { code: status } });
  }
});

test('a method that a path does not allow is a 405', () => {
  const error = new GatewayError('not-found', 'why', { code: 'method_not_allowed' });
  expect(renderGenerateContentError(error, true)).toMatchObject({
    status: 405,
    body: { error: { code: 405 } },
  });
});

test('retryDelay is in whole seconds', () => {
  const error = new GatewayError('rate-limited', 'why', { retryAfterMs: 1_200 });
  expect(renderGenerateContentError(error, false)).toMatchObject({
    retryAfterMs: 1_200,
    body: { error: { details: [{ retryDelay: '2s' }] } },
  });
});
