import { describe, expect, test } from 'vitest';
import { chatDialect } from './chat/dialect.ts';
import { messagesDialect } from './messages/dialect.ts';

describe.each([chatDialect, messagesDialect])('a failure of an upstream of $format', dialect => {
  const failure = (status: number, body: unknown, headers: Record<string, string | string[]> = {}) =>
    dialect.decodeFailure({
      provider: 'p',
      status,
      headers,
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    });

  test.each<[unknown, string]>([
    [{ error: { message: 'because' } }, 'because'],
    [{ type: 'error', error: { type: 'invalid_request_error', message: 'because' } }, 'because'],
    [{ detail: 'because' }, 'because'],
    [{ detail: { message: 'because', code: 'x' } }, 'because'],
    [
      {
        detail: [
          { loc: ['body', 'messages', 0, 'content'], msg: 'Field required', type: 'missing' },
          { loc: ['body'], msg: 'bad' },
        ],
      },
      'messages[0].content: Field required; bad',
    ],
    [{ error: 'because' }, 'because'],
    [{ error: 'Bad Request', message: 'because', status: 400 }, 'because'],
    [{ message: 'because', code: 'x' }, 'because'],
    [{ message: 'because', code: { odd: true }, type: 7 }, 'because'],
    [[{ error: { code: 400, message: 'because', status: 'INVALID_ARGUMENT' } }], 'because'],
    [{ errors: [{ message: 'because' }] }, 'because'],
    [{ err_code: 'Bad Request', err_msg: 'because', request_id: 'r' }, 'because'],
    ['"because"', 'because'],
    ['because', 'because'],
    ['<html>nginx at host-17</html>', 'The upstream answered with status 400.'],
    ['', 'The upstream answered with status 400.'],
    [{}, 'The upstream answered with status 400.'],
    [[], 'The upstream answered with status 400.'],
    ['null', 'The upstream answered with status 400.'],
    [{ detail: [] }, 'The upstream answered with status 400.'],
    [{ error: null }, 'The upstream answered with status 400.'],
  ])('the body %j gives the message %s', (body, message) => {
    expect(failure(400, body)).toMatchObject({ kind: 'invalid-request', message });
  });

  test('a list of errors gives the location of its first error as param', () => {
    const detail = [{ loc: ['body', 'messages', 0, 'content'], msg: 'Field required' }];
    expect(failure(422, { detail }).details.param).toBe('messages[0].content');
  });

  test.each<[number, unknown]>([
    [401, { message: 'No such key: sk-1' }],
    [403, 'sk-1 is not allowed'],
    [400, [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } }]],
    [400, { error: { message: 'Incorrect API key provided: sk-1', code: 'invalid_api_key' } }],
    [500, { error: { type: 'authentication_error', message: 'sk-1' } }],
    [200, { error: { type: 'authentication_error', message: 'sk-1' } }],
  ])("an error about the gateway's credential hides its message: %i %j", (status, body) => {
    expect(failure(status, body)).toMatchObject({
      kind: 'upstream',
      message: "The upstream refused the gateway's credential.",
    });
  });

  test.each<[boolean, number, unknown]>([
    [true, 401, { message: 'No' }],
    [true, 400, { error: { message: 'No', code: 'invalid_api_key' } }],
    [true, 200, { error: { type: 'authentication_error', message: 'No' } }],
    // It may be about one model.
    [false, 403, { error: { type: 'permission_error', message: 'No' } }],
    // The text may be the client's.
    [false, 400, { error: { message: "Invalid value: 'missing api key'." } }],
    [false, 404, { error: { message: "The model 'no-api-key' does not exist." } }],
  ])('the key itself is refused: %s, with %i %j', (refused, status, body) => {
    expect(failure(status, body).details.refusedKey ?? false).toBe(refused);
  });

  test('a 403 of a content policy is an error of the request', () => {
    const error = { message: 'Your input was flagged by moderation.', code: 403 };
    expect(failure(403, { error })).toMatchObject({ kind: 'invalid-request', message: error.message });
  });

  test.each([
    { message: "This model's maximum context length is 10 tokens. However,", code: 400 },
    { message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    { message: 'the request exceeds the available context size, try' },
    { message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' },
    { message: 'm', code: 'context_length_exceeded' },
    { message: 'm', type: 'exceed_context_size_error' },
  ])('a prompt that is too long has the code context_length_exceeded: %j', error => {
    expect(failure(400, { error })).toMatchObject({
      kind: 'invalid-request',
      details: { code: 'context_length_exceeded' },
    });
  });

  test('a body with status 200 that is not a response is an upstream error', () => {
    expect(failure(200, '<p>hi')).toMatchObject({
      kind: 'upstream',
      message: 'The upstream sent a malformed answer.',
    });
  });

  test.each<[Record<string, string | string[]>, number | undefined]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': ['7', '9'] }, 7_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'NaN' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': '86400' }, 3_600_000],
    [{ 'retry-after-ms': '-1', 'retry-after': '2' }, 2_000],
    [{ 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT', date: 'Wed, 21 Oct 2099 07:27:00 GMT' }, 60_000],
    [{ 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT', date: 'Wed, 21 Oct 2020 07:27:00 GMT' }, 3_600_000],
    [{ 'retry-after': 'Wed, 21 Oct 2020 07:28:00 GMT', date: 'Wed, 21 Oct 2099 07:27:00 GMT' }, 0],
  ])('the headers %j give a retry delay of %s ms', (headers, ms) => {
    expect(failure(429, {}, headers).details.retryAfterMs).toBe(ms);
  });
});
