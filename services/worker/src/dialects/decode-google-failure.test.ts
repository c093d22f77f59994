import { describe, expect, test } from 'vitest';
import { answerFailure, decodeFailure } from './decode-google-failure.ts';

const typed = (name: string, fields: object) => ({
  '@type': `type.googleapis.com/google.rpc.${name}`,
  ...fields,
});
const body = (code: number, status: string, message: string, details?: object[]) => ({
  error: { code, message, status, ...(details && { details }) },
});
const failure = (status: number, value: unknown, headers: Record<string, string> = {}) => {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const { kind, message, details } = decodeFailure({ provider: 'g', status, headers, body: bytes });
  return { kind, message, ...details };
};

test.each([
  [400, 'INVALID_ARGUMENT', 'invalid-request'],
  [400, 'FAILED_PRECONDITION', 'upstream'],
  [400, 'OUT_OF_RANGE', 'invalid-request'],
  [401, 'UNAUTHENTICATED', 'upstream'],
  // The format has no status name for it.
  [402, 'INVALID_ARGUMENT', 'quota-exceeded'],
  [403, 'PERMISSION_DENIED', 'upstream'],
  [404, 'NOT_FOUND', 'not-found'],
  [409, 'ABORTED', 'upstream'],
  [413, 'INVALID_ARGUMENT', 'too-large'],
  [429, 'RESOURCE_EXHAUSTED', 'rate-limited'],
  [499, 'CANCELLED', 'upstream'],
  [500, 'INTERNAL', 'upstream'],
  [501, 'UNIMPLEMENTED', 'upstream'],
  [503, 'UNAVAILABLE', 'overloaded'],
  [504, 'DEADLINE_EXCEEDED', 'timeout'],
])(
  'error %i %s has the kind %s: as a body, in a list, with status 200 and mid-stream',
  (code, status, kind) => {
    const error = body(code, status, 'What is wrong.');
    expect(failure(code, error)).toMatchObject({ kind, upstream: { provider: 'g', status: code } });
    expect(failure(code, [error])).toMatchObject({ kind });
    expect(failure(200, error)).toMatchObject({ kind });
    expect(answerFailure(error.error)).toMatchObject({ kind });
    const hidden = code === 401 || code === 403;
    expect(failure(code, [error]).message.includes('What is wrong.')).toBe(!hidden);
  },
);

test('an error about the API key is an upstream error, and its message is hidden', () => {
  const details = [typed('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' })];
  for (const error of [
    body(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', details),
    body(400, 'INVALID_ARGUMENT', 'Something about it.', details),
    body(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.'),
  ])
    expect(failure(400, error)).toMatchObject({
      kind: 'upstream',
      message: expect.stringContaining('credential'),
    });
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
    expect(failure(503, body(503, 'UNAVAILABLE', 'm'), { 'retry-after': '2' })).toMatchObject({
      retryAfterMs: 2_000,
    });
  });
});

test('the field of a violation is reported in camelCase, as clients spell it', () => {
  const fieldViolations = [{ field: 'generation_config.top_k', description: 'Invalid value' }];
  const error = body(400, 'INVALID_ARGUMENT', "Invalid value at 'generation_config.top_k'", [
    typed('BadRequest', { fieldViolations }),
  ]);
  expect(failure(400, error)).toMatchObject({ kind: 'invalid-request', param: 'generationConfig.topK' });
});

test.each([400, 500])('a prompt that is too long, with status %i, is an invalid request', status => {
  const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
  expect(
    failure(status, body(status, status === 400 ? 'INVALID_ARGUMENT' : 'INTERNAL', message)),
  ).toMatchObject({
    kind: 'invalid-request',
    code: 'context_length_exceeded',
    message,
  });
});

test('an unknown model has the code model_not_found', () => {
  expect(failure(404, body(404, 'NOT_FOUND', 'models/x is not found for API version v1beta'))).toMatchObject({
    kind: 'not-found',
    code: 'model_not_found',
  });
});

test.each([
  [
    'HTML',
    '<html><body>Bad gateway</body></html>',
    502,
    'upstream',
    'The upstream answered with status 502.',
  ],
  ['plain text', 'upstream connect error', 503, 'overloaded', 'upstream connect error'],
  ['empty', '', 429, 'rate-limited', 'The upstream answered with status 429.'],
  ['in another shape', '{"message":"no","code":"x"}', 400, 'invalid-request', 'no'],
  ['an error string', '{"error":"no"}', 500, 'upstream', 'no'],
  ['null', 'null', 500, 'upstream', 'The upstream answered with status 500.'],
  ['an empty list', '[]', 500, 'upstream', 'The upstream answered with status 500.'],
])('a failure whose body is %s has a kind and a message', (_what, text, status, kind, message) => {
  expect(failure(status, text)).toMatchObject({ kind, message });
});

test.each([undefined, null, 'no', [], {}, { code: 'x', details: 'y' }])(
  'the error %j mid-stream is an upstream error',
  value => {
    expect(answerFailure(value)).toMatchObject({ kind: 'upstream' });
  },
);
