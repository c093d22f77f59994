import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { answerFailure, decodeFailure } from './decode-google-failure.ts';

const typed = (name: string, fields: object) => ({
  ...{ '@type': `type.googleapis.com/google.rpc.${name}`, ...fields },
});
const body = (code: number, status: string, message: string, details?: object[]) => ({
  error: { code, message, status, ...(details && { details }) },
});
const failure = (status: number, value: unknown, headers: Record<string, string> = {}) => {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const { kind, message, details } = decodeFailure({ provider: 'g', status, headers, body: bytes });
  return { kind, message, ...details };
};

// The format has no status name for 402.
test.each(
  rows<[number, string, string]>`
  - [400, INVALID_ARGUMENT, invalid-request]
  - [400, FAILED_PRECONDITION, upstream]
  - [400, OUT_OF_RANGE, invalid-request]
  - [401, UNAUTHENTICATED, upstream]
  - [402, INVALID_ARGUMENT, quota-exceeded]
  - [403, PERMISSION_DENIED, upstream]
  - [404, NOT_FOUND, not-found]
  - [409, ABORTED, upstream]
  - [413, INVALID_ARGUMENT, too-large]
  - [429, RESOURCE_EXHAUSTED, rate-limited]
  - [499, CANCELLED, upstream]
  - [500, INTERNAL, upstream]
  - [501, UNIMPLEMENTED, upstream]
  - [503, UNAVAILABLE, overloaded]
  - [504, DEADLINE_EXCEEDED, timeout]
`,
)(
  'error %i %s has the kind %s: as a body, in a list, with status 200 and mid-stream',
  (code, status, kind) => {
    const error = body(code, status, 'What is wrong.');
    expect(failure(code, error)).toMatchObject({ kind, upstream: { provider: 'g', status: code } });
    const elsewhere = [failure(code, [error]), failure(200, error), answerFailure(error.error)];
    expect(elsewhere).toMatchObject([{ kind }, { kind }, { kind }]);
    const hidden = code === 401 || code === 403;
    expect(failure(code, [error]).message.includes('What is wrong.')).toBe(!hidden);
  },
);

test('an error about the API key is an upstream error, and its message is hidden', () => {
  const details = [typed('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' })];
  const refused = { kind: 'upstream', message: expect.stringContaining('credential') };
  for (const error of [
    body(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', details),
    body(400, 'INVALID_ARGUMENT', 'Something about it.', details),
    body(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.'),
  ])
    expect(failure(400, error)).toMatchObject(refused);
});

describe('the retry delay', () => {
  test.each([
    ['34s', 34_000],
    ['0.5s', 500],
    ['1.0000001s', 1_001],
    ['999999s', 3_600_000],
    ['soon', undefined],
    ['-3s', undefined],
  ])('the retryDelay %s is a retry delay of %s ms', (retryDelay, ms) => {
    const error = body(429, 'RESOURCE_EXHAUSTED', 'm', [typed('RetryInfo', { retryDelay })]);
    expect(failure(429, error).retryAfterMs).toBe(ms);
  });

  test('the retry-after header gives the retry delay', () => {
    expect(failure(503, body(503, 'UNAVAILABLE', 'm'), { 'retry-after': '2' }).retryAfterMs).toBe(2_000);
  });
});

test('the field of a violation is reported in camelCase, as clients spell it', () => {
  const fieldViolations = [{ field: 'generation_config.top_k', description: 'Invalid value' }];
  const details = [typed('BadRequest', { fieldViolations })];
  const error = body(400, 'INVALID_ARGUMENT', "Invalid value at 'generation_config.top_k'", details);
  expect(failure(400, error)).toMatchObject({ kind: 'invalid-request', param: 'generationConfig.topK' });
});

const tooLong = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
test.each([
  [400, 'INVALID_ARGUMENT', tooLong, 'invalid-request', 'context_length_exceeded'],
  [500, 'INTERNAL', tooLong, 'invalid-request', 'context_length_exceeded'],
  [413, 'INVALID_ARGUMENT', tooLong, 'invalid-request', 'context_length_exceeded'],
  [
    400,
    'INVALID_ARGUMENT',
    'the input token count is 9000 but model only supports up to 8192',
    'invalid-request',
    'context_length_exceeded',
  ],
  [500, 'INTERNAL', 'Your input context is too long.', 'invalid-request', 'context_length_exceeded'],
  [403, 'PERMISSION_DENIED', 'Your prompt was flagged.', 'invalid-request', 'content_filter'],
  [404, 'NOT_FOUND', 'models/x is not found for API version v1beta', 'not-found', 'model_not_found'],
])('error %i %s: %s has the kind %s and the code %s', (code, status, message, kind, named) => {
  expect(failure(code, body(code, status, message))).toMatchObject({ kind, code: named, message });
});

test.each(
  rows<[string, number, string, string]>`
  - [<html><body>Bad gateway</body></html>, 502, upstream, The upstream answered with status 502.]
  - [upstream connect error, 503, overloaded, upstream connect error]
  - ['', 429, rate-limited, The upstream answered with status 429.]
  - ['{"message":"no","code":"x"}', 400, invalid-request, 'no']
  - ['{"error":"no"}', 500, upstream, 'no']
  - ['null', 500, upstream, The upstream answered with status 500.]
  - ['[]', 500, upstream, The upstream answered with status 500.]
`,
)('the body %j of status %i has the kind %s and the message %s', (text, status, kind, message) => {
  expect(failure(status, text)).toMatchObject({ kind, message });
});

test.each([undefined, null, 'no', [], {}, { code: 'x', details: 'y' }])(
  'the error %j mid-stream is an upstream error',
  value => {
    expect(answerFailure(value)).toMatchObject({ kind: 'upstream' });
  },
);

test("what the upstream says beside its message is kept for clients of its format, but not about the gateway's key", () => {
  const info = typed('ErrorInfo', {
    reason: 'RATE_LIMIT_EXCEEDED',
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com', quota_limit_value: '60' },
  });
  const quota = typed('QuotaFailure', {
    violations: [{ quotaId: 'PerDay', quotaDimensions: { model: 'm' } }],
  });
  const help = typed('Help', { links: [{ description: 'd', url: 'https://ai.google.dev' }] });
  const details = [info, quota, help];
  const value = body(429, 'RESOURCE_EXHAUSTED', 'No.', details);
  const vendorDetails = { format: 'generate-content', value: details };
  for (const error of [failure(429, value), failure(429, [value]), failure(200, value)])
    expect(error).toMatchObject({ vendorDetails });
  expect(answerFailure(value.error).details).toMatchObject({ vendorDetails });
  const refused = [typed('ErrorInfo', { reason: 'API_KEY_INVALID' })];
  expect(failure(400, body(400, 'INVALID_ARGUMENT', 'No.', refused))).not.toHaveProperty('vendorDetails');
  expect(failure(429, body(429, 'RESOURCE_EXHAUSTED', 'No.'))).not.toHaveProperty('vendorDetails');
});
