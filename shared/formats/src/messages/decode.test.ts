import type { GenerateEvent } from '@model-gateway/canonical';
import { folded, passed, readAll } from '@model-gateway/canonical/testing/events';
import { describe, expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { sse, testFixtures } from '../testing/fixtures.ts';
import type { KnownTool } from '../upstream/tools.ts';
import { decodeStream, WholeDecoder } from './decode.ts';
import { answerFailure, decodeFailure } from './decode-failure.ts';
import { messagesDialect } from './dialect.ts';

function decode(stream: string, tools: [string, KnownTool][] = []): GenerateEvent[] {
  return readAll(decodeStream({ tools: new Map(tools), seed: 'req_1' }), stream);
}

type Sent = { events: object[]; tools?: [string, KnownTool][] };
testFixtures(import.meta.dirname, 'decode', ({ events, tools }: Sent) => decode(sse(events), tools));

const event = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const start = event({ type: 'message_start', message: { id: 'msg_1', model: 'm', usage: {} } });
const ends = (stop_reason = 'end_turn', usage: object = { output_tokens: 1 }, fields: object = {}) =>
  event({ type: 'message_delta', delta: { stop_reason, ...fields }, usage }) +
  event({ type: 'message_stop' });
const block = (index: number, content: object, ...deltas: object[]) =>
  event({ type: 'content_block_start', index, content_block: content }) +
  deltas.map(delta => event({ type: 'content_block_delta', index, delta })).join('') +
  event({ type: 'content_block_stop', index });
const says = (index: number, text: string) =>
  block(index, { type: 'text', text: '' }, ...(text ? [{ type: 'text_delta', text }] : []));
const calls = (...json: string[]) =>
  block(
    ...([0, { type: 'tool_use', id: 'a', name: 'f', input: {} }] as const),
    ...json.map(partial_json => ({ type: 'input_json_delta', partial_json })),
  );

test.each([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['tool_use', 'tool-calls'],
  ['pause_turn', 'pause'],
  ['compaction', 'pause'],
  ['refusal', 'refusal'],
  ['brand_new', 'other'],
])('the stop reason %s becomes %s (pitfall 10)', (raw, reason) => {
  const content = raw === 'tool_use' ? calls() : '';
  const stop_sequence = raw === 'stop_sequence' ? 'END' : null;
  const end = decode(start + content + ends(raw, {}, { stop_sequence })).at(-1);
  expect(end).toMatchObject({ type: 'finish', reason, raw, ...(stop_sequence && { stopSequence: 'END' }) });
});

test('a response with tool calls ends with tool-calls, even if the upstream reports end_turn (pitfall 9)', () => {
  expect(decode(start + calls() + ends()).at(-1)).toMatchObject({ reason: 'tool-calls' });
  expect(decode(start + calls() + ends('max_tokens')).at(-1)).toMatchObject({ reason: 'length' });
});

const opens = (index: unknown, content: object) =>
  event({ type: 'content_block_start', index, content_block: content });
const more = (index: unknown, delta: object) => event({ type: 'content_block_delta', index, delta });
const stops = (index: unknown) => event({ type: 'content_block_stop', index });
const text = { type: 'text', text: '' };
const tool = { type: 'tool_use', id: 'a', name: 'f', input: {} };
const adds = (text: string) => ({ type: 'text_delta', text });
const args = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

test.each([
  ['the same index', (_: number) => 0],
  ['indexes from 3', (at: number) => at + 3],
  ['no index', () => null],
  ['indexes in text', (at: number) => String(at)],
])('blocks with %s are numbered as clients of the format do', (_what, indexOf) => {
  const blocks = (index: (at: number) => unknown, id: string) =>
    [0, 1, 2].map(at => {
      const call = at === 1;
      const delta = call ? args('{}') : adds('x');
      const content = call ? { ...tool, id } : text;
      const of = index(at);
      return opens(of, content) + more(of, delta) + more(of, delta) + more(of, delta) + stops(of);
    });
  const sent = passed(
    readAll(
      decodeStream({ verbatim: true, seed: 'r' }),
      start + blocks(indexOf, '').join('') + ends('tool_use'),
      40,
    ),
  );
  const [, id = ''] = /"id":"(call_\w{24})"/.exec(sent) ?? [];
  expect(sent).toBe(start + blocks(at => at, id).join('') + ends('tool_use'));
});

test.each(['', null, undefined])('a call with the id %j gets one', id => {
  const two = opens(0, { ...tool, id }) + stops(0) + opens(1, { ...tool, id }) + stops(1);
  const ids = folded(decode(start + two + ends())).parts.map(part => part.type === 'tool-call' && part.id);
  expect(ids).toEqual([expect.stringMatching(/^call_\w{24}$/), expect.stringMatching(/^call_\w{24}$/)]);
  expect(new Set(ids).size).toBe(2);
});

describe('the start of another answer', () => {
  const says = (text: string) => opens(0, { type: 'text', text: '' }) + more(0, adds(text)) + stops(0);
  const other = start.replace('msg_1', 'msg_2');
  const nameless = start.replace('"id":"msg_1",', '');
  const read = (stream: string) => {
    const events = readAll(decodeStream({ verbatim: true, seed: 'r' }), stream);
    return { sent: passed(events), last: events.at(-1) };
  };

  test.each([
    start + says('one ') + other + says('two') + ends(),
    start + other + says('two') + ends(),
    nameless + says('one ') + nameless + says('two') + ends(),
  ])('within an answer is an error: %j', stream => {
    const message = 'The upstream sent two answers in place of one.';
    expect(read(stream).last).toMatchObject({ type: 'error', kind: 'upstream', message });
    expect(decode(stream).at(-1)).toMatchObject({ message });
  });

  test('with the same id is left out', () => {
    const stream = start + start + says('one ') + start + says('two') + ends();
    expect(read(stream)).toMatchObject({
      sent: start + says('one ') + says('two').replaceAll('"index":0', '"index":1') + ends(),
      last: { type: 'finish', reason: 'stop' },
    });
  });
});

test('content after the stop reason is no sign of the end', () => {
  const end = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} });
  for (const output of [{ verbatim: true, seed: 'r' } as const, { tools: new Map(), seed: 'r' }]) {
    const decoder = decodeStream(output);
    const after = (text: string) => [decoder.read(Buffer.from(text)), decoder.complete][1];
    expect([after(start + opens(0, text) + end), after(more(0, adds('x'))), after(end)]).toEqual([
      true,
      false,
      true,
    ]);
  }
});

describe('events', () => {
  test('events whose type is only their name are read', () => {
    const nameOnly = (stream: string) => stream.replaceAll(/"type":"(?:message|content_block)_\w+",?/g, '');
    const whole = start + says(0, 'x') + ends();
    expect(nameOnly(whole)).toContain('data: {}');
    expect(decode(nameOnly(whole))).toEqual(decode(whole));
  });

  test.each([
    ['malformed JSON', 'event: content_block_delta\ndata: {"type":"content_bl\n\n'],
    ['a list', 'data: []\n\n'],
    [
      'a delta without its block',
      event({ type: 'content_block_delta', index: 3, delta: { type: 'text_delta' } }),
    ],
    ['a delta event without a delta', event({ type: 'content_block_delta', index: 0 })],
    ['a call without a name', block(0, { type: 'tool_use', id: 'a' })],
    ['an end without a stop reason', event({ type: 'message_stop' })],
    ['an error object without a type', 'data: {"error":{"message":"boom"}}\n\n'],
  ])('%s becomes an error after the valid events', (_what, broken) => {
    expect(decode(start + broken + ends())).toMatchObject([
      { type: 'start' },
      { type: 'error', kind: 'upstream' },
    ]);
  });

  test('an event above the size limit becomes an error', () => {
    const decoder = decodeStream({ verbatim: true, seed: 'r' });
    const events = Array.from({ length: 40 }, () => decoder.read(Buffer.alloc(1024 * 1024, 'x'))).flat();
    expect(events).toMatchObject([{ type: 'error' }]);
  });

  test('a stream is complete after the stop reason', () => {
    const decoder = decodeStream({ tools: new Map(), seed: 'req_1' });
    const after = (text: string) => [decoder.read(Buffer.from(text)), decoder.complete][1];
    const end = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });
    expect([after(start), after(end)]).toEqual([false, true]);
  });
});

test.each<[string, object]>([
  [
    '{ "id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"big":12345678901234567890,' +
      '"stop_reason":"stop_sequence","stop_sequence":"END","usage":{"input_tokens":2,"cache_read_input_tokens":3,"output_tokens":4}}',
    { type: 'finish', reason: 'stop-sequence', stopSequence: 'END', usage: { input: 5, output: 4 } },
  ],
  ['{"input_tokens": 12}', { type: 'finish', usage: null }],
  ['{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}', { kind: 'rate-limited' }],
  ['{"content":[]}', { kind: 'upstream' }],
  ['not even JSON', { kind: 'upstream' }],
  ['null         ', { kind: 'upstream' }],
])('the body %s keeps its bytes, or is an error', (body, last) => {
  const whole = { status: 200, mediaType: 'application/json', length: body.length };
  const kept = 'kind' in last ? [] : [{ type: 'verbatim', bytes: Buffer.from(body), whole }];
  const end = 'kind' in last ? { type: 'error', ...last } : last;
  expect(readAll(new WholeDecoder(), body, 9)).toMatchObject([...kept, end]);
});

describe('an error', () => {
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
    expect(refusal(400, { type: 'invalid_request_error', message: 'm', details }).kind).toBe(
      'quota-exceeded',
    );
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
});

describe('ids of calls that pass', () => {
  const use = (id: string, input: object = {}) => ({ type: 'tool_use', id, name: 'f', input });
  const history = (...ids: string[]) => [
    { role: 'user', content: 'a' },
    ...ids.flatMap(id => [
      { role: 'assistant', content: [{ type: 'text', text: 'x' }, use(id)] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] },
    ]),
  ];
  const inputOf = (...ids: string[]) =>
    encodeInput(
      { model: 'm', text: Buffer.from(JSON.stringify({ messages: history(...ids) })) },
      { format: 'messages' },
    );

  const event = (value: { type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] };
  const stream = (...blocks: object[]) =>
    [
      { type: 'message_start', message },
      ...blocks.flatMap((content_block, index) => [
        { type: 'content_block_start', index, content_block },
        {
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json: '{"id":"call_0"}' },
        },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]
      .map(event)
      .join('');
  const whole = (...content: object[]) =>
    JSON.stringify({
      ...message,
      content,
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    });

  const passed = (events: ReturnType<typeof readAll>) =>
    events.map(each => (each.type === 'verbatim' ? Buffer.from(each.bytes).toString() : '')).join('');
  const streamed = (text: string, ...ids: string[]) =>
    passed(readAll(messagesDialect.decodeStream(inputOf(...ids)), text));
  const answered = (text: string, ...ids: string[]) =>
    passed(readAll(messagesDialect.decodeWhole(inputOf(...ids), 'application/json'), text));

  const made = /call_[0-9a-f]{24}/;

  test.each(['call_0', 'functions.f:0', '0', 'tool-12'])(
    'an answer that is passed on has another id than %s, which its history has',
    id => {
      const text = stream(use(id), use('other'));
      const [own] = made.exec(streamed(text, id)) ?? [];
      expect(streamed(text, id)).toBe(text.replace(`"id":"${id}"`, `"id":"${own}"`));
      const body = JSON.parse(answered(whole(use(id, { n: 1 }), use('other')), 'x', id));
      expect(body.content).toEqual([use(expect.stringMatching(made) as never, { n: 1 }), use('other')]);
    },
  );

  test('two calls of one id have ids of their own', () => {
    const text = streamed(stream(use('call_0'), use('call_0')));
    expect(text.match(/"tool_use","id":"call_0"/g)).toHaveLength(1);
    const [first, second] = JSON.parse(answered(whole(use('call_0'), use('call_0')))).content;
    expect(first).toEqual(use('call_0'));
    expect(second.id).toMatch(made);
  });

  test('many calls of one id are renamed at once', () => {
    const text = streamed(stream(...Array.from({ length: 5_000 }, () => use('call_0'))));
    const ids = [...text.matchAll(/"tool_use","id":"(\w+)"/g)].map(([, id]) => id);
    expect([ids.length, new Set(ids).size]).toEqual([5_000, 5_000]);
  });

  test.each<[string, string[]]>([
    ['call_0', []],
    ['call_0', ['call_1']],
    ['toolu_01A09q90qw90lq917835lq9', ['toolu_01A09q90qw90lq917835lq9']],
  ])('an answer with the id %s after %j is passed on byte for byte', (id, ids) => {
    expect(streamed(stream(use(id)), ...ids)).toBe(stream(use(id)));
    const spaced = whole(use(id)).replaceAll(':', ' : ');
    expect(answered(spaced, ...ids)).toBe(spaced);
  });
});
