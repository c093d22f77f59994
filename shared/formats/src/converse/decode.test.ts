import type { GenerateEvent, GenerateRequest } from '@model-gateway/canonical';
import { brief, folded, readAll } from '@model-gateway/canonical/testing/events';
import { call, redacted, signed, text, thought } from '@model-gateway/canonical/testing/parts';
import { describe, expect, test } from 'vitest';
import { awsFrame } from '../testing/aws-frames.ts';
import { encodeInput } from '../testing/encode-input.ts';
import type { CanonicalInput } from '../upstream/dialect.ts';
import { converseDialect } from './dialect.ts';

const input = (request: Partial<GenerateRequest> = {}, model = 'amazon.nova-pro-v1:0') =>
  encodeInput({ model, request: { messages: [], ...request } }) as CanonicalInput;

const delta = (at: number, delta: object) => awsFrame('contentBlockDelta', { contentBlockIndex: at, delta });
const stop = (at: number) => awsFrame('contentBlockStop', { contentBlockIndex: at });
const opens = (at: number, toolUseId: string, name: string) =>
  awsFrame('contentBlockStart', { contentBlockIndex: at, start: { toolUse: { toolUseId, name } } });
const args = (at: number, input: string) => delta(at, { toolUse: { input } });
const end = (stopReason = 'end_turn', more: object = {}) => awsFrame('messageStop', { stopReason, ...more });
const usage = { inputTokens: 5, outputTokens: 3, totalTokens: 8 };
const counts = (fields: object = { usage }) => awsFrame('metadata', { metrics: { latencyMs: 1 }, ...fields });
const stream = (...frames: Buffer[]) =>
  Buffer.concat([awsFrame('messageStart', { role: 'assistant', p: 'abc' }), ...frames]);
const decoded = (bytes: Buffer, asked = input(), step?: number): GenerateEvent[] =>
  readAll(converseDialect.decodeStream(asked), bytes, step);

test.each([1e9, 1, 7])('a stream in pieces of %i bytes has every kind of part', step => {
  const frames = [
    ...[
      delta(0, { reasoningContent: { text: 'Hm.' } }),
      delta(0, { reasoningContent: { signature: 'sig' } }),
    ],
    ...[stop(0), delta(1, { reasoningContent: { redactedContent: 'AAEC' } }), stop(1)],
    ...[delta(2, { text: 'Hel' }), delta(2, { text: 'lo' }), stop(2)],
    ...[opens(3, 't1', 'f'), args(3, '{"ci'), args(3, 'ty":"Oslo"}'), stop(3), opens(4, 't2', 'f'), stop(4)],
    ...[end('tool_use'), counts()],
  ];
  const events = decoded(stream(...frames), input(), step);
  expect(brief(events)).toBe(
    '0+reasoning | 0 Hm. | 0. | 1+reasoning | 1. | 2+text | 2 Hel | 2 lo | 2. | ' +
      '3+tool-call t1 f | 3 {"ci | 3 ty":"Oslo"} | 3. | 4+tool-call t2 f | 4. | =tool-calls',
  );
  const { parts, finish } = folded(events);
  expect(events[0]).toEqual({ type: 'start', id: '', model: '' });
  expect(parts).toEqual([
    ...[thought('Hm.', signed('sig', 'converse')), redacted('AAEC', 'converse'), text('Hello')],
    ...[call('t1', '{"city":"Oslo"}'), call('t2', '')],
  ]);
  expect(finish).toMatchObject({ raw: 'tool_use', usage: { input: 5, output: 3 } });
});

test('a whole answer has the same parts, with exact numbers', () => {
  const content = [
    { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
    { reasoningContent: { redactedContent: 'AAEC' } },
    ...[{ text: 'Hello' }, { toolUse: { toolUseId: 't1', name: 'f', input: { n: 1 } } }],
  ];
  const whole = { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage };
  const body = Buffer.from(JSON.stringify(whole).replace('"n":1', '"n":12345678901234567890'));
  const events = converseDialect.decodeBody(body, input());
  expect(folded(events).parts).toEqual([
    ...[thought('Hm.', signed('sig', 'converse')), redacted('AAEC', 'converse'), text('Hello')],
    call('t1', '{"n":12345678901234567890}'),
  ]);
  expect(readAll(converseDialect.decodeWhole(input(), 'application/json'), body)).toEqual(events);
  expect(converseDialect.decodeBody(Buffer.from('{"message":"x"}'), input())).toBeUndefined();
});

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop-sequence'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['malformed_tool_use', 'other'],
  ['of_tomorrow', 'other'],
])('the stop reason %s is %s', (raw, reason) => {
  expect(decoded(stream(delta(0, { text: 'x' }), end(raw), counts())).at(-1)).toMatchObject({ raw, reason });
});

test('a guardrail is explained by the policies that blocked, without the text that matched', () => {
  const block = (type: string, more: object = {}) => ({ type, action: 'BLOCKED', ...more });
  const pii = [block('EMAIL', { action: 'ANONYMIZED' }), block('PHONE', { match: '555-0100' })];
  const filters = [block('VIOLENCE', { action: 'NONE' }), block('INSULTS')];
  const words = { customWords: [{ match: 'codename', action: 'BLOCKED' }] };
  const guardrail = {
    inputAssessment: { g1: { wordPolicy: words, contentPolicy: { filters } } },
    outputAssessments: { g1: [{ sensitiveInformationPolicy: { piiEntities: pii, regexes: [] } }] },
  };
  const finish = (trace: unknown, reason = 'guardrail_intervened') =>
    decoded(stream(delta(0, { text: 'x' }), end(reason), counts({ usage, trace }))).at(-1);
  expect(finish({ guardrail })).toMatchObject({
    reason: 'content-filter',
    explanation:
      'The guardrail blocked the prompt by its content policy (INSULTS), word policy. The guardrail blocked the answer by its sensitive information policy (PHONE).',
  });
  expect(finish({ guardrail }, 'end_turn')).not.toHaveProperty('explanation');
  for (const trace of [undefined, 1, { guardrail: { inputAssessment: [1], outputAssessments: { g1: 2 } } }])
    expect(finish(trace)).not.toHaveProperty('explanation');
});

test('tokens of the cache are input, unless the total says that they are counted already', () => {
  const cached = { inputTokens: 10, outputTokens: 1, cacheReadInputTokens: 4, cacheWriteInputTokens: 3 };
  const usageOf = (more: object) => decoded(stream(end(), counts({ usage: { ...cached, ...more } }))).at(-1);
  const cacheDetails = [{ ttl: '1h', inputTokens: 2 }];
  expect(usageOf({ totalTokens: 18, cacheDetails })).toMatchObject({
    usage: { input: 17, cachedInput: 4, cacheWrite5m: 1, cacheWrite1h: 2, output: 1 },
  });
  expect(usageOf({ totalTokens: 11 })).toMatchObject({ usage: { input: 10, cachedInput: 4 } });
});

test('the answer tool is text, and a renamed or custom tool has its own name', () => {
  const called = (name: string, json: string) =>
    stream(opens(0, 't', name), args(0, json), stop(0), end('tool_use'), counts());
  const answer = decoded(
    called('final_answer', '{"a":1}'),
    input({ output: { type: 'schema', schema: {} } }),
  );
  expect(brief(answer)).toBe('0+text | 0 {"a":1} | 0. | =stop');
  expect(answer.at(-1)).toMatchObject({ raw: 'end_turn' });
  const custom = decoded(
    called('py', '{"input":"print(1)"}'),
    input({ tools: [{ type: 'custom', name: 'py' }] }),
  );
  expect(brief(custom)).toBe('0+tool-call t py | 0 print(1) | 0. | =tool-calls');
});

test('a model that takes no stop sequences is cut at one', () => {
  const frames = [delta(0, { text: 'a STO' }), delta(0, { text: 'P b' }), end(), counts()];
  const events = decoded(stream(...frames), input({ stop: ['STOP'] }, 'openai.gpt-oss-120b-1:0'));
  expect(brief(events)).toMatch(/^0\+text \| 0 a {2}?\| 0\. \| =stop-sequence$/);
});

describe('a stream that fails', () => {
  const said = delta(0, { text: 'x' });
  const flipped = Buffer.from(said);
  flipped.writeUInt8(flipped.readUInt8(30) ^ 1, 30);
  const huge = Buffer.alloc(12);
  huge.writeUInt32BE(0xffffffff, 0);
  const exception = (type: string, message: string) => awsFrame(type, { message }, 'exception');
  const tooLong = 'Input is too long for requested model.';

  test.each<[string, Buffer[], string, RegExp]>([
    ['a frame with a wrong checksum', [flipped, end(), counts()], 'upstream', /malformed/],
    ['a frame that is too large', [huge], 'upstream', /too large/],
    ['an event without an index', [awsFrame('contentBlockDelta', { delta: {} })], 'upstream', /malformed/],
    ['a cut within a frame', [end().subarray(0, 20)], 'upstream', /too early/],
    ['no stop reason', [], 'upstream', /too early/],
    ['throttling', [exception('throttlingException', 'Slow down')], 'rate-limited', /Slow down/],
    ['an error of the model', [exception('modelStreamErrorException', 'Oops')], 'upstream', /Oops/],
    ['a long prompt', [exception('validationException', tooLong)], 'invalid-request', /too long/],
  ])('%s ends in an error', (_, frames, kind, message) => {
    for (const step of [1e9, 5]) {
      const events = decoded(stream(said, ...frames), input(), step);
      expect(events.at(-1)).toMatchObject({ type: 'error', kind, message: expect.stringMatching(message) });
      expect(events.filter(({ type }) => type === 'finish' || type === 'error')).toHaveLength(1);
    }
  });

  test('an answer is complete without its usage', () => {
    expect(decoded(stream(said, end())).at(-1)).toMatchObject({ type: 'finish', usage: null });
  });
});

describe('a response with the status of an error', () => {
  const failure = (status: number, type: string, message: string) => {
    const error = converseDialect.decodeFailure({
      ...{ provider: 'aws', status, body: Buffer.from(JSON.stringify({ message })) },
      headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/`, 'x-amzn-requestid': 'r1' },
    });
    return { kind: error.kind, message: error.message, ...error.details };
  };

  test.each([
    [429, 'ThrottlingException', 'Too many requests', 'rate-limited'],
    [400, 'ServiceQuotaExceededException', 'Quota', 'quota-exceeded'],
    [429, 'ModelNotReadyException', 'Not ready', 'overloaded'],
    [408, 'ModelTimeoutException', 'Slow', 'timeout'],
    [424, 'ModelErrorException', 'Oops', 'upstream'],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 'not-found'],
    [404, 'ResourceNotFoundException', 'No such profile', 'not-found'],
    [400, 'ValidationException', 'Input is too long for requested model.', 'invalid-request'],
  ])('%i %s is %s', (status, type, message, kind) => {
    const code = kind === 'invalid-request' ? { code: 'context_length_exceeded' } : {};
    expect(failure(status, type, message)).toMatchObject({
      kind,
      message,
      upstream: { requestId: 'r1' },
      ...code,
    });
  });

  const noAccess = "You don't have access to the model with the specified model ID.";
  const badKey = 'Authentication failed: Please make sure your API Key is valid.';
  test.each<[string, string, true | undefined, RegExp]>([
    ['UnrecognizedClientException', 'The security token is invalid.', true, /options\.accessKeyId/],
    ['InvalidSignatureException', 'The Canonical String should have been SECRET', true, /secret of options/],
    ['ExpiredTokenException', 'The security token is expired', true, /expired/],
    ['AccessDeniedException', noAccess, undefined, /access to the model/],
    ['AccessDeniedException', badKey, true, /check apiKey/],
  ])('%s says what to change, in the log alone', (type, message, refusedKey, fault) => {
    const error = failure(403, type, message);
    expect(error).toMatchObject({ kind: 'upstream', fault: expect.stringMatching(fault) });
    expect(error.refusedKey).toBe(refusedKey);
    expect(JSON.stringify(error)).not.toContain(message);
  });
});
