import { type ErrorKind, errorKinds, GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { renderMessagesError, renderMessagesErrorEvent, unsupportedThread } from './render-messages-error.ts';

const expected: Record<ErrorKind, [status: number, type: string]> = {
  'invalid-request': [400, 'invalid_request_error'],
  unauthenticated: [401, 'authentication_error'],
  forbidden: [403, 'permission_error'],
  'not-found': [404, 'not_found_error'],
  'too-large': [413, 'request_too_large'],
  'rate-limited': [429, 'rate_limit_error'],
  'quota-exceeded': [402, 'billing_error'],
  overloaded: [529, 'overloaded_error'],
  timeout: [504, 'timeout_error'],
  upstream: [500, 'api_error'],
  cancelled: [499, 'api_error'],
  internal: [500, 'api_error'],
};

test.each(errorKinds)('an error of kind %s has its status and type', kind => {
  const [status, type] = expected[kind];
  const rendered = renderMessagesError(new GatewayError(kind, 'why', { retryAfterMs: 1500 }), 'req_1');
  expect(rendered).toEqual({
    status,
    body: { type: 'error', error: { type, message: 'why' }, request_id: 'req_1' },
    retryAfterMs: 1500,
  });
});

test('a method that is not allowed is an invalid_request_error with status 405', () => {
  const error = new GatewayError('not-found', 'why', { code: 'method_not_allowed' });
  expect(renderMessagesError(error, 'req_1')).toMatchObject({
    status: 405,
    body: { error: { type: 'invalid_request_error' } },
  });
});

test('an unsupported thread has details, other errors have none', () => {
  const details = (code: string) => {
    const error = new GatewayError('invalid-request', 'why', { param: 'thread', code });
    return (renderMessagesError(error, 'r').body as { error: { details?: object } }).error.details;
  };
  expect(details(unsupportedThread)).toEqual({ error_code: unsupportedThread, unsupported: ['thread'] });
  expect(details('model_not_found')).toBeUndefined();
});

test('an error in a stream is an event named error', () => {
  expect(renderMessagesErrorEvent(new GatewayError('overloaded', 'why'), 'req_1')).toBe(
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"why"},"request_id":"req_1"}\n\n',
  );
});

test('an error about a long prompt starts with "prompt is too long"', () => {
  const message = (sent: string, code = 'context_length_exceeded') => {
    const error = new GatewayError('invalid-request', sent, { code });
    return (renderMessagesError(error, 'r').body as { error: { message: string } }).error.message;
  };
  const upstream = "This model's maximum context length is 10 tokens.";
  expect(message(upstream)).toBe(`prompt is too long: ${upstream}`);
  expect(message(upstream, 'invalid_value')).toBe(upstream);
  const prefixed = 'prompt is too long: 11 tokens > 10 maximum';
  expect(message(prefixed)).toBe(prefixed);
});

test("the details of an upstream of the format are sent, those of another's are not", () => {
  const details = (format: 'messages' | 'generate-content', value: unknown) => {
    const error = new GatewayError('quota-exceeded', 'why', { vendorDetails: { format, value } });
    return (renderMessagesError(error, 'r').body as { error: { details?: object } }).error.details;
  };
  const value = { error_code: 'enforced_spend_limit_reached' };
  expect(details('messages', value)).toEqual(value);
  expect(details('generate-content', [value])).toBeUndefined();
});

test.each(['upstream', 'invalid-request'] as const)("an upstream's conflict of kind %s stays one", kind => {
  const error = new GatewayError(kind, 'why', { upstream: { provider: 'p', status: 409 } });
  expect(renderMessagesError(error, 'r')).toMatchObject({
    status: 409,
    body: { error: { type: 'conflict_error', message: 'why' } },
  });
});
