import { expect, test } from 'vitest';
import { answerFailure, decodeFailure } from './decode-openai-failure.ts';

const refusal = (status: number, error: unknown) =>
  decodeFailure({
    ...{ provider: 'p', status, headers: { 'x-request-id': 'req_1' } },
    body: Buffer.from(typeof error === 'string' ? error : JSON.stringify({ error })),
  });

test.each<[number, object, string]>([
  [400, { type: 'invalid_request_error', code: 'context_length_exceeded' }, 'invalid-request'],
  [402, {}, 'quota-exceeded'],
  [404, { code: 'model_not_found' }, 'not-found'],
  [408, {}, 'timeout'],
  [409, {}, 'upstream'],
  [413, {}, 'too-large'],
  [422, {}, 'invalid-request'],
  [429, { type: 'tokens', code: 'rate_limit_exceeded' }, 'rate-limited'],
  [429, { type: 'insufficient_quota', code: 'insufficient_quota' }, 'quota-exceeded'],
  [500, { type: 'server_error' }, 'upstream'],
  [502, {}, 'upstream'],
  [503, { code: 'server_is_overloaded' }, 'overloaded'],
  [504, {}, 'timeout'],
  [529, {}, 'overloaded'],
  // Some upstreams fail with status 200 and put the real status into `code`.
  [200, { code: 429 }, 'rate-limited'],
])('status %i with the error %j has the kind %s', (status, fields, kind) => {
  expect(refusal(status, { message: 'because', ...fields })).toMatchObject({
    kind,
    message: 'because',
    details: { upstream: { provider: 'p', status, requestId: 'req_1' } },
  });
});

test('an error as the whole body is read', () => {
  const body = JSON.stringify({ object: 'error', message: 'because', code: 400 });
  expect(refusal(400, body)).toMatchObject({ kind: 'invalid-request', message: 'because' });
});

test('an error that holds another one in its message is read as that one', () => {
  const inner = { code: 400, message: 'request exceeds the size', type: 'exceed_context_size_error' };
  const message = JSON.stringify({ error: inner });
  const details = { code: 'context_length_exceeded' };
  const read = { kind: 'invalid-request', message: inner.message, details };
  expect(refusal(400, { message, type: 'invalid_request_error' })).toMatchObject(read);
});

test.each([
  '404 page not found',
  '{"detail":"Not Found"}',
  '{"error":{"message":"Invalid URL (POST /v1/v1/x)"}}',
])('a 404 that names no model is a mistake of the address: %s', body => {
  const error = refusal(404, body);
  expect(error).toMatchObject({
    kind: 'upstream',
    message: "The upstream has no such path: the provider's baseUrl may be wrong.",
  });
});

test("an invalid request keeps the upstream's param and code", () => {
  const error = { message: 'm', param: 'messages[0].role', code: 'invalid_value' };
  expect(refusal(400, error).details).toMatchObject({ param: 'messages[0].role', code: 'invalid_value' });
});

test.each<[unknown, string]>([
  [{ message: 'm', code: 502 }, 'upstream'],
  [{ message: 'm', code: 429 }, 'rate-limited'],
  [{ message: 'm', code: 'server_is_overloaded' }, 'overloaded'],
  ['boom', 'upstream'],
])('an error inside a response, %j, has the kind %s (pitfall 20)', (error, kind) => {
  expect(answerFailure(error).kind).toBe(kind);
});
