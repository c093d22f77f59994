import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { chatDialect } from './chat/dialect.ts';
import { answerFailure } from './decode-openai-failure.ts';
import { messagesDialect } from './messages/dialect.ts';

const nothing = 'The upstream answered with status 400.';

describe.each([chatDialect, messagesDialect])('a failure of an upstream of $format', dialect => {
  const failure = (status: number, value: unknown, headers: Record<string, string | string[]> = {}) => {
    const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    const { kind, message, details } = dialect.decodeFailure({ provider: 'p', status, headers, body });
    return { kind, message, ...details };
  };

  test.each(
    rows<[unknown, string]>`
    - [{error: {message: because}}, because]
    - [{type: error, error: {type: invalid_request_error, message: because}}, because]
    - [{object: error, message: because, code: 400}, because]
    - [{detail: because}, because]
    - [{detail: {message: because, code: x}}, because]
    - - {detail: [{loc: [body, messages, 0, content], msg: Field required, type: missing}, {loc: [body], msg: bad}]}
      - 'messages[0].content: Field required; bad'
    - [{error: because}, because]
    - [{error: Bad Request, message: because, status: 400}, because]
    - [{message: because, code: x}, because]
    - [{message: because, code: {odd: true}, type: 7}, because]
    - [[{error: {code: 400, message: because, status: INVALID_ARGUMENT}}], because]
    - [{errors: [{message: because}]}, because]
    - [{err_code: Bad Request, err_msg: because, request_id: r}, because]
    - ['"because"', because]
    - [because, because]
  `,
  )('the body %j gives the message %s', (body, message) => {
    expect(failure(400, body)).toMatchObject({ kind: 'invalid-request', message });
  });

  test.each(['<html>nginx at host-17</html>', '', {}, [], 'null', { detail: [] }, { error: null }])(
    'the body %j gives no message',
    body => {
      expect(failure(400, body)).toMatchObject({ kind: 'invalid-request', message: nothing });
    },
  );

  test('a list of errors gives the location of its first error as param', () => {
    const detail = [{ loc: ['body', 'messages', 0, 'content'], msg: 'Field required' }];
    expect(failure(422, { detail }).param).toBe('messages[0].content');
  });

  test.each(
    rows<[number, unknown]>`
    - [401, {message: 'No such key: sk-1'}]
    - [403, sk-1 is not allowed]
    - [400, [{error: {code: 400, message: API key not valid. Please pass a valid API key.}}]]
    - [400, {error: {message: 'Incorrect API key provided: sk-1', code: invalid_api_key}}]
    - [500, {error: {type: authentication_error, message: sk-1}}]
    - [200, {error: {type: authentication_error, message: sk-1}}]
  `,
  )("an error about the gateway's credential hides its message: %i %j", (status, body) => {
    const message = "The upstream refused the gateway's credential.";
    expect(failure(status, body)).toMatchObject({ kind: 'upstream', message });
  });

  // A 403 may be about one model, and a text may be the client's.
  test.each(
    rows<[boolean, number, unknown]>`
    - [true, 401, {message: 'No'}]
    - [true, 400, {error: {message: 'No', code: invalid_api_key}}]
    - [true, 200, {error: {type: authentication_error, message: 'No'}}]
    - [false, 403, {error: {type: permission_error, message: 'No'}}]
    - [false, 400, {error: {message: "Invalid value: 'missing api key'."}}]
    - [false, 404, {error: {message: The model 'no-api-key' does not exist.}}]
  `,
  )('the key itself is refused: %s, with %i %j', (refused, status, body) => {
    expect(failure(status, body).refusedKey ?? false).toBe(refused);
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
    const code = 'context_length_exceeded';
    expect(failure(400, { error })).toMatchObject({ kind: 'invalid-request', code });
  });

  test('a body with status 200 that is not a response is an upstream error', () => {
    const message = 'The upstream sent a malformed answer.';
    expect(failure(200, '<p>hi')).toMatchObject({ kind: 'upstream', message });
  });

  const [now, then] = ['Wed, 21 Oct 2099 07:28:00 GMT', 'Wed, 21 Oct 2020 07:28:00 GMT'];
  test.each<[Record<string, string | string[]>, number | undefined]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': ['7', '9'] }, 7_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'NaN' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': '86400' }, 3_600_000],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after-ms': '-1', 'retry-after': '2' }, 2_000],
    [{ 'retry-after': now, date: 'Wed, 21 Oct 2099 07:27:00 GMT' }, 60_000],
    [{ 'retry-after': now, date: then }, 3_600_000],
    [{ 'retry-after': then, date: now }, 0],
  ])('the headers %j give a retry delay of %s ms', (headers, ms) => {
    expect(failure(429, {}, headers).retryAfterMs).toBe(ms);
  });
});

const refusal = (status: number, error: unknown) => {
  const headers = { 'x-request-id': 'req_1' };
  const body = Buffer.from(typeof error === 'string' ? error : JSON.stringify({ error }));
  const { kind, message, details } = chatDialect.decodeFailure({ provider: 'p', status, headers, body });
  return { kind, message, ...details };
};

// Some upstreams fail with status 200 and put the real status into `code`.
test.each(
  rows<[number, object, string]>`
  - [400, {type: invalid_request_error, code: context_length_exceeded}, invalid-request]
  - [402, {}, quota-exceeded]
  - [404, {code: model_not_found}, not-found]
  - [408, {}, timeout]
  - [409, {}, upstream]
  - [413, {}, too-large]
  - [422, {}, invalid-request]
  - [429, {type: tokens, code: rate_limit_exceeded}, rate-limited]
  - [429, {type: insufficient_quota, code: insufficient_quota}, quota-exceeded]
  - [500, {type: server_error}, upstream]
  - [502, {}, upstream]
  - [503, {code: server_is_overloaded}, overloaded]
  - [504, {}, timeout]
  - [529, {}, overloaded]
  - [200, {code: 429}, rate-limited]
`,
)('status %i with the error %j has the kind %s', (status, fields, kind) => {
  const upstream = { provider: 'p', status, requestId: 'req_1' };
  const error = { message: 'because', ...fields };
  expect(refusal(status, error)).toMatchObject({ kind, message: 'because', upstream });
});

test('an error that holds another one in its message is read as that one', () => {
  const inner = { code: 400, message: 'request exceeds the size', type: 'exceed_context_size_error' };
  const message = JSON.stringify({ error: inner });
  const read = { kind: 'invalid-request', message: inner.message, code: 'context_length_exceeded' };
  expect(refusal(400, { message, type: 'invalid_request_error' })).toMatchObject(read);
});

test.each([
  '404 page not found',
  '{"detail":"Not Found"}',
  '{"error":{"message":"Invalid URL (POST /v1/v1/x)"}}',
])('a 404 that names no model is a mistake of the address: %s', body => {
  const message = "The upstream has no such path: the provider's baseUrl may be wrong.";
  expect(refusal(404, body)).toMatchObject({ kind: 'upstream', message });
});

test("an invalid request keeps the upstream's param and code", () => {
  const error = { message: 'm', param: 'messages[0].role', code: 'invalid_value' };
  expect(refusal(400, error)).toMatchObject(error);
});

test.each<[unknown, string]>([
  [{ message: 'm', code: 502 }, 'upstream'],
  [{ message: 'm', code: 429 }, 'rate-limited'],
  [{ message: 'm', code: 'server_is_overloaded' }, 'overloaded'],
  ['boom', 'upstream'],
])('an error inside a response, %j, has the kind %s (pitfall 20)', (error, kind) => {
  expect(answerFailure(error).kind).toBe(kind);
});
