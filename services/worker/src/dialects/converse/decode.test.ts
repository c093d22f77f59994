import { GatewayError, type GenerateEvent, type GenerateRequest } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { describe, expect, test } from 'vitest';
import { awsFrame } from '../../testing/aws-frames.ts';
import type { CanonicalInput } from '../dialect.ts';
import { converseDialect } from './dialect.ts';

const input = (request: Partial<GenerateRequest> = {}, model = 'amazon.nova-pro-v1:0'): CanonicalInput => ({
  envelope: testEnvelope(),
  body: 'canonical',
  request: { messages: [], ...request },
  model,
  drop: [],
  limits: {},
});

const start = awsFrame('messageStart', { role: 'assistant', p: 'abc' });
const delta = (at: number, delta: object) => awsFrame('contentBlockDelta', { contentBlockIndex: at, delta });
const stop = (at: number) => awsFrame('contentBlockStop', { contentBlockIndex: at });
const call = (at: number, toolUseId: string, name: string) =>
  awsFrame('contentBlockStart', { contentBlockIndex: at, start: { toolUse: { toolUseId, name } } });
const end = (stopReason: string) => awsFrame('messageStop', { stopReason });
const usage = { inputTokens: 5, outputTokens: 3, totalTokens: 8 };
const metadata = awsFrame('metadata', { usage, metrics: { latencyMs: 1 } });
const stream = (...frames: Buffer[]) => Buffer.concat([start, ...frames]);

function decoded(bytes: Buffer, asked = input(), step = bytes.length): GenerateEvent[] {
  const decoder = converseDialect.decodeStream(asked);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += step) events.push(...decoder.read(bytes.subarray(at, at + step)));
  return [...events, ...decoder.end()];
}

const all = stream(
  delta(0, { reasoningContent: { text: 'Hm.' } }),
  delta(0, { reasoningContent: { signature: 'sig' } }),
  stop(0),
  delta(1, { reasoningContent: { redactedContent: 'AAEC' } }),
  stop(1),
  delta(2, { text: 'Hel' }),
  delta(2, { text: 'lo' }),
  stop(2),
  call(3, 't1', 'weather'),
  delta(3, { toolUse: { input: '{"ci' } }),
  delta(3, { toolUse: { input: 'ty":"Oslo"}' } }),
  stop(3),
  call(4, 't2', 'weather'),
  stop(4),
  end('tool_use'),
  metadata,
);
const allEvents = [
  { type: 'start', id: '', model: '' },
  { type: 'part-start', index: 0, part: { type: 'reasoning' } },
  { type: 'part-delta', index: 0, text: 'Hm.' },
  { type: 'part-end', index: 0, signature: { format: 'converse', value: 'sig' } },
  { type: 'part-start', index: 1, part: { type: 'reasoning', redacted: true } },
  { type: 'part-end', index: 1, signature: { format: 'converse', value: 'AAEC' } },
  { type: 'part-start', index: 2, part: { type: 'text' } },
  { type: 'part-delta', index: 2, text: 'Hel' },
  { type: 'part-delta', index: 2, text: 'lo' },
  { type: 'part-end', index: 2 },
  { type: 'part-start', index: 3, part: { type: 'tool-call', id: 't1', name: 'weather' } },
  { type: 'part-delta', index: 3, text: '{"ci' },
  { type: 'part-delta', index: 3, text: 'ty":"Oslo"}' },
  { type: 'part-end', index: 3 },
  { type: 'part-start', index: 4, part: { type: 'tool-call', id: 't2', name: 'weather' } },
  { type: 'part-end', index: 4 },
  {
    type: 'finish',
    reason: 'tool-calls',
    raw: 'tool_use',
    usage: expect.objectContaining({ input: 5, output: 3 }),
  },
];

test.each([all.length, 1, 7])('a stream in pieces of %i bytes has every kind of part', step => {
  expect(decoded(all, input(), step)).toEqual(allEvents);
});

test('a whole answer has the same parts, with exact numbers', () => {
  const content = [
    { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
    { reasoningContent: { redactedContent: 'AAEC' } },
    { text: 'Hello' },
    { toolUse: { toolUseId: 't1', name: 'weather', input: { n: 1 } } },
  ];
  const text = JSON.stringify({
    output: { message: { role: 'assistant', content } },
    stopReason: 'tool_use',
    usage,
  });
  const body = Buffer.from(text.replace('"n":1', '"n":12345678901234567890'));
  const events = converseDialect.decodeBody(body, input()) ?? [];
  expect(events.filter(({ type }) => type === 'part-start')).toHaveLength(4);
  expect(events).toContainEqual({ type: 'part-delta', index: 3, text: '{"n":12345678901234567890}' });
  const whole = converseDialect.decodeWhole(input(), 'application/json');
  expect([...whole.read(body), ...whole.end()]).toEqual(events);
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
  expect(decoded(stream(delta(0, { text: 'x' }), end(raw), metadata)).at(-1)).toMatchObject({ raw, reason });
});

test('a guardrail is explained by the policies that blocked, without the text that matched', () => {
  const pii = [
    { type: 'EMAIL', match: 'a@b.example', action: 'ANONYMIZED' },
    { type: 'PHONE', match: '555-0100', action: 'BLOCKED' },
  ];
  const words = { customWords: [{ match: 'codename', action: 'BLOCKED' }] };
  const filters = [
    { type: 'VIOLENCE', confidence: 'LOW', action: 'NONE' },
    { type: 'INSULTS', confidence: 'HIGH', action: 'BLOCKED' },
  ];
  const guardrail = {
    inputAssessment: { g1: { wordPolicy: words, contentPolicy: { filters } } },
    outputAssessments: { g1: [{ sensitiveInformationPolicy: { piiEntities: pii, regexes: [] } }] },
  };
  const finish = (trace: unknown, reason = 'guardrail_intervened') =>
    decoded(stream(delta(0, { text: 'x' }), end(reason), awsFrame('metadata', { usage, trace }))).at(-1);
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
  const usageOf = (more: object) =>
    decoded(stream(end('end_turn'), awsFrame('metadata', { usage: { ...cached, ...more } }))).at(-1);
  const cacheDetails = [{ ttl: '1h', inputTokens: 2 }];
  expect(usageOf({ totalTokens: 18, cacheDetails })).toMatchObject({
    usage: { input: 17, cachedInput: 4, cacheWrite5m: 1, cacheWrite1h: 2, output: 1 },
  });
  expect(usageOf({ totalTokens: 11 })).toMatchObject({ usage: { input: 10, cachedInput: 4 } });
});

test('the answer tool is text, and a renamed or custom tool has its own name', () => {
  const answer = stream(call(0, 't', 'final_answer'), delta(0, { toolUse: { input: '{"a":1}' } }), stop(0));
  const schema = { type: 'schema', schema: {} } as const;
  expect(
    decoded(Buffer.concat([answer, end('tool_use'), metadata]), input({ output: schema })),
  ).toMatchObject([
    { type: 'start' },
    { type: 'part-start', part: { type: 'text' } },
    { type: 'part-delta', text: '{"a":1}' },
    { type: 'part-end' },
    { type: 'finish', reason: 'stop', raw: 'end_turn' },
  ]);
  const custom = stream(
    call(0, 't', 'py'),
    delta(0, { toolUse: { input: '{"input":"print(1)"}' } }),
    stop(0),
  );
  const tools: GenerateRequest['tools'] = [{ type: 'custom', name: 'py' }];
  expect(decoded(Buffer.concat([custom, end('tool_use'), metadata]), input({ tools }))).toContainEqual({
    type: 'part-delta',
    index: 0,
    text: 'print(1)',
  });
});

test('a model that takes no stop sequences is cut at one', () => {
  const asked = input({ stop: ['STOP'] }, 'openai.gpt-oss-120b-1:0');
  const events = decoded(
    stream(delta(0, { text: 'a STO' }), delta(0, { text: 'P b' }), end('end_turn'), metadata),
    asked,
  );
  expect(events.flatMap(event => (event.type === 'part-delta' ? event.text : [])).join('')).toBe('a ');
  expect(events.at(-1)).toMatchObject({ reason: 'stop-sequence' });
});

describe('a stream that fails', () => {
  const text = delta(0, { text: 'x' });
  const flipped = Buffer.from(text);
  flipped.writeUInt8(flipped.readUInt8(30) ^ 1, 30);
  const huge = Buffer.alloc(12);
  huge.writeUInt32BE(0xffffffff, 0);

  test.each([
    [
      'a frame with a wrong checksum',
      stream(text, flipped, end('end_turn'), metadata),
      'upstream',
      /malformed/,
    ],
    ['a frame that is too large', stream(text, huge), 'upstream', /too large/],
    [
      'an event without an index',
      stream(awsFrame('contentBlockDelta', { delta: {} })),
      'upstream',
      /malformed/,
    ],
    ['a cut within a frame', stream(text, end('end_turn').subarray(0, 20)), 'upstream', /too early/],
    ['no stop reason', stream(text), 'upstream', /too early/],
    [
      'throttling',
      stream(text, awsFrame('throttlingException', { message: 'Slow down' }, 'exception')),
      'rate-limited',
      /Slow down/,
    ],
    [
      'an error of the model',
      stream(awsFrame('modelStreamErrorException', { message: 'Oops' }, 'exception')),
      'upstream',
      /Oops/,
    ],
    [
      'a long prompt',
      stream(
        awsFrame('validationException', { message: 'Input is too long for requested model.' }, 'exception'),
      ),
      'invalid-request',
      /too long/,
    ],
  ])('%s ends in an error', (_, bytes, kind, message) => {
    for (const step of [bytes.length, 5]) {
      const events = decoded(bytes, input(), step);
      expect(events.at(-1)).toMatchObject({ type: 'error', kind, message: expect.stringMatching(message) });
      expect(events.filter(({ type }) => type === 'finish' || type === 'error')).toHaveLength(1);
    }
  });

  test('an answer is complete without its usage', () => {
    expect(decoded(stream(text, end('end_turn'))).at(-1)).toMatchObject({ type: 'finish', usage: null });
  });
});

describe('a response with the status of an error', () => {
  const failure = (status: number, type: string, message: string) => {
    const error = converseDialect.decodeFailure({
      provider: 'aws',
      status,
      headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/`, 'x-amzn-requestid': 'r1' },
      body: Buffer.from(JSON.stringify({ message })),
    });
    expect(error).toBeInstanceOf(GatewayError);
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
  ])('%i %s is %s', (status, type, message, kind) => {
    expect(failure(status, type, message)).toMatchObject({ kind, message, upstream: { requestId: 'r1' } });
  });

  test('a long prompt has its code', () => {
    expect(failure(400, 'ValidationException', 'Input is too long for requested model.')).toMatchObject({
      code: 'context_length_exceeded',
    });
  });

  test.each([
    [
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
      true,
      /options\.accessKeyId/,
    ],
    ['InvalidSignatureException', 'The Canonical String should have been SECRET', true, /secret of options/],
    ['ExpiredTokenException', 'The security token included in the request is expired', true, /expired/],
    [
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
      undefined,
      /access to the model/,
    ],
    [
      'AccessDeniedException',
      'Authentication failed: Please make sure your API Key is valid.',
      true,
      /check apiKey/,
    ],
  ])('%s says what to change, in the log alone', (type, message, refusedKey, fault) => {
    const error = failure(403, type, message);
    expect(error).toMatchObject({ kind: 'upstream', fault: expect.stringMatching(fault) });
    expect(error.refusedKey).toBe(refusedKey);
    expect(JSON.stringify(error)).not.toContain(message);
  });
});
