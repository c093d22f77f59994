import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { chatDialect } from '../chat/dialect.ts';
import { messagesDialect } from '../messages/dialect.ts';
import { answerFailure } from './decode-openai-failure.ts';

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
    [403, 'Content violates usage guidelines.'],
    [400, "The response was filtered due to Azure OpenAI's content management policy."],
    [400, 'Content Exists Risk'],
    [422, 'Input data may contain inappropriate content.'],
  ])('a refusal of a content policy without a code has one: %i %s', (status, message) => {
    const error = { message, code: status };
    expect(failure(status, { error })).toMatchObject({
      kind: 'invalid-request',
      message,
      code: 'content_filter',
    });
  });

  test('a refusal of a content policy keeps its code', () => {
    const error = { message: 'm', code: 'data_inspection_failed' };
    expect(failure(400, { error })).toMatchObject({
      kind: 'invalid-request',
      code: 'data_inspection_failed',
    });
  });

  // An account's state is no fault of the request, whatever its status: another target may serve it.
  test.each(
    rows<[number, object]>`
    - [400, {type: invalid_request_error, message: Your credit balance is too low to access the Anthropic API.}]
    - [400, {type: invalid_request_error, message: You have reached your specified API usage limits. You will regain access soon.}]
    - [400, {code: Arrearage, type: Arrearage, message: 'Access denied, please make sure your account is in good standing.'}]
    - [400, {code: billing_hard_limit_reached, message: Billing hard limit has been reached}]
    - [401, {type: insufficient_quota, message: You exceeded your current quota}]
    - [402, {message: Insufficient Balance, code: invalid_request_error}]
    - [403, {code: AccountOverdueError, message: The request failed because your account has an overdue balance.}]
    - [403, {code: insufficient_user_quota, message: no quota}]
    - [412, {message: Account acme is suspended because of an unpaid bill.}]
    - [429, {code: '1113', message: Insufficient balance or no resource package. Please recharge.}]
    - [429, {type: exceeded_current_quota_error, message: Your account is suspended}]
    - [500, {message: 'insufficient balance'}]
    - [200, {message: insufficient balance, http_code: '429', type: insufficient_balance_error}]
  `,
  )('an empty balance is an exceeded quota: %i %j', (status, error) => {
    expect(failure(status, { error })).toMatchObject({
      kind: 'quota-exceeded',
      message: Object(error).message,
    });
  });

  test('words about money that only repeat those of the request are its own', () => {
    const message = "Invalid value: 'Your credit balance is too low'";
    expect(failure(400, { error: { message } })).toMatchObject({ kind: 'invalid-request' });
  });

  test.each(
    rows<[number, object, string]>`
    - [429, {type: engine_overloaded_error, message: busy}, overloaded]
    - [429, {code: queue_exceeded, message: busy}, overloaded]
    - [429, {code: 1312, message: busy}, overloaded]
    - [500, {code: '1302', message: slow}, rate-limited]
    - [400, {code: Throttling.RateQuota, message: slow}, rate-limited]
  `,
  )('%i %j has the kind %s', (status, error, kind) => {
    expect(failure(status, { error }).kind).toBe(kind);
  });

  test.each<[number, unknown]>([
    [
      413,
      {
        error: {
          code: 'tokens_limit_reached',
          message: 'Request body too large for x model. Max size: 8000 tokens.',
        },
      },
    ],
    [
      413,
      {
        error: 'Input validation error: `inputs` must have less than 512 tokens. Given: 700',
        error_type: 'Validation',
      },
    ],
    [413, { code: 20042, message: 'input must have less than 512 tokens', data: null }],
    [422, { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.' }],
    [
      500,
      {
        error: { code: 500, message: 'input (534 tokens) is too large to process. increase the batch size' },
      },
    ],
    [400, { error: { code: '1261', message: 'Prompt 超长' } }],
    [200, { base_resp: { status_code: 2013, status_msg: 'invalid params, context window exceeds limit' } }],
  ])('an input that is too long has the code context_length_exceeded: %i %j', (status, body) => {
    const code = 'context_length_exceeded';
    expect(failure(status, body)).toMatchObject({ kind: 'invalid-request', code });
  });

  test('a body that is too large in bytes is too large', () => {
    expect(failure(413, { error: { message: 'Request Entity Too Large' } }).kind).toBe('too-large');
  });

  test.each(
    rows<[number, string, string]>`
    - [1000, unknown error, upstream]
    - [1001, request timeout, timeout]
    - [1002, rate limit, rate-limited]
    - [1008, insufficient balance, quota-exceeded]
    - [1026, input new_sensitive, invalid-request]
    - [2013, invalid params, invalid-request]
  `,
  )(
    'the base_resp %i of MiniMax, whose status is 200, keeps its message %s, and has the kind %s',
    (status_code, status_msg, kind) => {
      const body = { id: 'x', choices: null, base_resp: { status_code, status_msg } };
      expect(failure(200, body)).toMatchObject({ kind, message: status_msg });
    },
  );

  test('a base_resp about the key hides its message', () => {
    const body = { base_resp: { status_code: 2049, status_msg: 'invalid api key sk-1' } };
    expect(failure(200, body)).toMatchObject({ kind: 'upstream', refusedKey: true });
    expect(failure(200, body).message).not.toContain('sk-1');
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
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-remaining-requests': '0' }, 1_000],
    [{ 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '0' }, 360_000],
    [{ 'x-ratelimit-reset-tokens': '2m59.56s' }, 179_560],
    [{ 'x-ratelimit-reset-tokens': '12ms' }, 12],
    [{ 'x-ratelimit-reset-requests': '1h2m3s' }, 3_600_000],
    [{ 'x-ratelimit-reset-requests': '20s', 'x-ratelimit-reset-tokens': '7s' }, 7_000],
    [
      {
        ...{ 'x-ratelimit-reset-requests': '20s', 'x-ratelimit-remaining-requests': '0' },
        ...{ 'x-ratelimit-reset-tokens': '7s', 'x-ratelimit-remaining-tokens': '900' },
      },
      20_000,
    ],
    [{ 'x-ratelimit-reset-tokens-minute': '11.382867', 'x-ratelimit-remaining-tokens-minute': '0' }, 11_383],
    [{ 'x-ratelimit-reset': '4' }, 4_000],
    [{ 'x-ratelimit-reset': String(Date.parse(now)), date: 'Wed, 21 Oct 2099 07:27:30 GMT' }, 30_000],
    [{ 'x-ratelimit-reset': String(Date.parse(now) / 1_000), date: 'Wed, 21 Oct 2099 07:27:30 GMT' }, 30_000],
    [{ 'anthropic-ratelimit-input-tokens-reset': '2099-10-21T07:28:00Z', date: now }, 0],
    [{ 'ratelimit-reset': '9', 'retry-after': '2' }, 2_000],
    [{ 'ratelimit-reset': '9', 'retry-after': 'soon' }, 9_000],
    [{ 'x-ratelimit-reset-tokens': 'soon' }, undefined],
    [{ 'x-ratelimit-reset-tokens': '-4' }, undefined],
  ])('the headers %j give a retry delay of %s ms', (headers, ms) => {
    expect(failure(429, {}, headers).retryAfterMs).toBe(ms);
  });

  test('a reset of a limit is no retry delay of another failure', () => {
    expect(failure(500, {}, { 'x-ratelimit-reset-tokens': '6m0s' }).retryAfterMs).toBeUndefined();
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

test('the reset of a limit may be in the body of the error', () => {
  const headers = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '5', 'X-Odd': 7 };
  const error = { message: 'Rate limit exceeded: free-models-per-min.', code: 429, metadata: { headers } };
  expect(refusal(429, error)).toMatchObject({ kind: 'rate-limited', retryAfterMs: 5_000 });
});

test("an invalid request keeps the upstream's param and code", () => {
  const error = { message: 'm', param: 'messages[0].role', code: 'invalid_value' };
  expect(refusal(400, error)).toMatchObject(error);
});

test('the text that the model returned in place of a call is kept', () => {
  const failed_generation = '<function=get{"q":1}</function>';
  const error = { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation };
  expect(refusal(400, error)).toMatchObject({ code: 'tool_use_failed', said: failed_generation });
  // Within a stream, the status is in the error.
  const within = answerFailure({ ...error, status_code: 400 });
  expect([within.kind, within.details.said]).toEqual(['invalid-request', failed_generation]);
});

test.each<[unknown, string]>([
  [{ message: 'm', code: 502 }, 'upstream'],
  [{ message: 'Output data may contain it.', code: 'data_inspection_failed' }, 'invalid-request'],
  [
    { message: "The input (9 tokens) is longer than the model's context length (8 tokens)." },
    'invalid-request',
  ],
  [{ message: 'The engine is overloaded', type: 'engine_overloaded_error' }, 'overloaded'],
  [{ message: 'Insufficient credits' }, 'quota-exceeded'],
  [{ message: 'm', code: 429 }, 'rate-limited'],
  [{ message: 'm', code: 'server_is_overloaded' }, 'overloaded'],
  ['boom', 'upstream'],
])('an error inside a response, %j, has the kind %s (pitfall 20)', (error, kind) => {
  expect(answerFailure(error).kind).toBe(kind);
});
