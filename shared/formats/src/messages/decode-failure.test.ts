import { expect, test } from 'vitest';
import { answerFailure, decodeFailure } from './decode-failure.ts';

const refusal = (status: number, error: unknown) =>
  decodeFailure({
    ...{ provider: 'p', status, headers: { 'request-id': 'req_1' } },
    body: Buffer.from(typeof error === 'string' ? error : JSON.stringify({ type: 'error', error })),
  });

test.each([
  [400, 'invalid_request_error', 'invalid-request'],
  [402, 'billing_error', 'quota-exceeded'],
  [404, 'not_found_error', 'not-found'],
  // Other servers than the vendor's use this type for every refusal.
  [404, 'invalid_request_error', 'not-found'],
  [429, 'invalid_request_error', 'rate-limited'],
  [409, 'conflict_error', 'upstream'],
  [413, 'request_too_large', 'too-large'],
  [429, 'rate_limit_error', 'rate-limited'],
  [500, 'api_error', 'upstream'],
  [504, 'timeout_error', 'timeout'],
  [529, 'overloaded_error', 'overloaded'],
  // A streamed request may be refused with status 200.
  [200, 'overloaded_error', 'overloaded'],
])('status %i with the type %s has the kind %s', (status, type, kind) => {
  const error = refusal(status, { type, message: 'because' });
  expect(error).toMatchObject({
    kind,
    message: 'because',
    details: { upstream: { provider: 'p', status, requestId: 'req_1' } },
  });
});

test.each([
  [402, 'quota-exceeded'],
  [408, 'timeout'],
  [422, 'invalid-request'],
  [502, 'upstream'],
  [503, 'overloaded'],
  [529, 'overloaded'],
])('status %i without a readable body has the kind %s', (status, kind) => {
  expect(refusal(status, '<html>')).toMatchObject({
    kind,
    message: `The upstream answered with status ${status}.`,
  });
});

test("an error about the gateway's credential within an answer hides its message", () => {
  const error = answerFailure({ type: 'authentication_error', message: 'sk-ant-1' });
  expect([error.kind, error.message]).toEqual(['upstream', expect.not.stringContaining('sk-ant')]);
});

test('a spend limit is an exceeded quota, not a rate limit', () => {
  const details = { error_code: 'enforced_spend_limit_reached' };
  expect(refusal(429, { type: 'rate_limit_error', message: 'm', details }).kind).toBe('quota-exceeded');
  expect(refusal(400, { type: 'invalid_request_error', message: 'm', details }).kind).toBe('quota-exceeded');
});

test("an invalid request keeps the upstream's error code", () => {
  const details = { error_code: 'thread_unsupported_request' };
  const error = refusal(400, { type: 'invalid_request_error', message: 'm', details });
  expect(error.details.code).toBe('thread_unsupported_request');
});

test.each([
  [402, 'billing_error', { error_code: 'enforced_spend_limit_reached' }],
  [400, 'invalid_request_error', { error_code: 'compaction_nothing_to_summarize', blocks: [1] }],
  [403, 'invalid_request_error', { error_code: 'cmek_key_disabled' }],
  [529, 'overloaded_error', { retry_scope: 'model' }],
])('the details of an error %i are kept for clients of the format', (status, type, value) => {
  const error = refusal(status, { type, message: 'because', details: value });
  const vendorDetails = { format: 'messages', value };
  if (status !== 403) expect(error.details).toMatchObject({ vendorDetails });
  // An error about the gateway's credential is hidden.
  else expect(error.details).not.toHaveProperty('vendorDetails');
  expect(answerFailure({ type, message: 'because', details: value }).details).toMatchObject({
    vendorDetails,
  });
});

test.each([null, 'text', 5, []])('details that are %j are none', details => {
  const error = refusal(400, { type: 'invalid_request_error', message: 'because', details });
  expect(error.details).not.toHaveProperty('vendorDetails');
});
