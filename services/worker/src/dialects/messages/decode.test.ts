import { readFileSync } from 'node:fs';
import { AnswerFold, type GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { KnownTool } from '../answer-tool.ts';
import { decodeStream, type StreamOutput, WholeDecoder } from './decode.ts';

const example = (name: string) => readFileSync(new URL(`examples/${name}.sse`, import.meta.url), 'utf8');
const parts = (tools: [string, KnownTool][] = []): StreamOutput => ({ tools: new Map(tools) });
const pieces = [1, 7, 1000];

function decode(stream: string, target: StreamOutput = parts(), size = 1000): GenerateEvent[] {
  const decoder = decodeStream(target);
  const bytes = Buffer.from(stream);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

/** Combines the events of a stream into a response. */
function answer(events: GenerateEvent[]) {
  const fold = new AnswerFold();
  const { start, parts, finish } = events.map(event => fold.add(event)).find(Boolean) ?? {};
  return { start, parts, finish };
}

const event = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const start = event({ type: 'message_start', message: { id: 'msg_1', model: 'm', usage: {} } });
const ends = (reason: string, usage: object = { output_tokens: 1 }, fields: object = {}) =>
  event({ type: 'message_delta', delta: { stop_reason: reason, ...fields }, usage }) +
  event({ type: 'message_stop' });
const block = (index: number, content: object, ...deltas: object[]) =>
  event({ type: 'content_block_start', index, content_block: content }) +
  deltas.map(delta => event({ type: 'content_block_delta', index, delta })).join('') +
  event({ type: 'content_block_stop', index });
const json = (text: string) => ({ type: 'input_json_delta', partial_json: text });

describe.each(pieces)('read %i bytes at a time', size => {
  test('a stream of thinking, text and parallel calls is decoded into parts (pitfalls 7, 28)', () => {
    const result = answer(decode(example('thinking-text-parallel-tools'), parts(), size));
    expect(result.start).toMatchObject({ id: 'msg_01', model: 'claude-sonnet-4-5-20250929' });
    expect(result.parts).toEqual([
      {
        type: 'reasoning',
        text: 'Need the weather, twice.',
        signature: { format: 'messages', value: 'EqQBCgIYAhIM+/==' },
      },
      { type: 'text', text: 'Looking in Žilina and Rome.' },
      { type: 'tool-call', id: 'toolu_01A', name: 'weather', arguments: '{"city": "Žilina"}' },
      { type: 'tool-call', id: 'toolu_01B', name: 'weather', arguments: '{"city":"Rome"}' },
      { type: 'tool-call', id: 'toolu_01C', name: 'now', arguments: '' },
    ]);
    expect(result.finish).toMatchObject({
      reason: 'tool-calls',
      raw: 'tool_use',
      usage: { input: 25, output: 137, reasoning: 40 },
    });
  });

  test('redacted thinking keeps its place', () => {
    expect(answer(decode(example('redacted'), parts(), size)).parts).toEqual([
      {
        type: 'reasoning',
        redacted: true,
        text: '',
        signature: { format: 'messages', value: 'EmwKAhgBEgy3va3p' },
      },
      { type: 'text', text: 'Hello.' },
    ]);
  });

  test('thinking without text keeps its signature (pitfall 18)', () => {
    expect(answer(decode(example('omitted-thinking'), parts(), size)).parts).toEqual([
      { type: 'reasoning', text: '', signature: { format: 'messages', value: 'EpkBEh' } },
      { type: 'text', text: '42' },
    ]);
  });

  test('a refusal keeps its explanation', () => {
    const { finish } = answer(decode(example('refusal'), parts(), size));
    expect(finish).toMatchObject({
      reason: 'refusal',
      raw: 'refusal',
      explanation: 'This request was declined.',
    });
  });

  test('cached and cache-write input counts once (pitfalls 1, 2, 3)', () => {
    const events = decode(example('cache-usage'), parts(), size);
    const counts = {
      input: 18_554,
      cachedInput: 18_000,
      cacheWrite5m: 450,
      cacheWrite1h: 100,
    };
    expect(events[0]).toMatchObject({ type: 'start', usage: counts });
    expect(events.at(-1)).toMatchObject({ usage: { ...counts, output: 9 } });
  });

  test('vendor-specific blocks are kept unchanged, and a paused turn has the reason pause', () => {
    const result = answer(decode(example('server-tools'), parts(), size));
    expect(result.parts).toMatchObject([
      {
        type: 'opaque',
        format: 'messages',
        value: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      },
      {
        type: 'opaque',
        value: { type: 'web_search_tool_result', content: [{ encrypted_content: 'abc' }] },
      },
      { type: 'text', text: 'Found it.' },
    ]);
    expect(result.finish).toMatchObject({ reason: 'pause', raw: 'pause_turn' });
  });

  test('an error inside a stream is the last event (pitfall 20)', () => {
    const events = decode(example('error-mid-stream'), parts(), size);
    expect(events.map(e => e.type)).toEqual(['start', 'part-start', 'part-delta', 'error']);
    expect(events.at(-1)).toMatchObject({ kind: 'overloaded', message: 'Overloaded' });
  });

  test('a truncated stream becomes an error (pitfall 21)', () => {
    expect(decode(example('truncated'), parts(), size).at(-1)).toMatchObject({
      type: 'error',
      kind: 'upstream',
    });
  });

  test('a stream that lacks only its end marker is complete (pitfall 22)', () => {
    const { finish, parts: found } = answer(decode(example('no-end-mark'), parts(), size));
    expect(finish).toMatchObject({ reason: 'length', raw: 'max_tokens', usage: { input: 25, output: 5 } });
    expect(found).toEqual([{ type: 'text', text: 'Whole' }]);
  });

  test.each([
    'thinking-text-parallel-tools',
    'redacted',
    'omitted-thinking',
    'refusal',
    'cache-usage',
    'server-tools',
  ])('the stream %s passes verbatim, with the same finish as in parts', name => {
    const stream = example(name);
    const events = decode(stream, { verbatim: true }, size);
    expect(passedText(events)).toBe(stream);
    expect(events.filter(e => e.type !== 'verbatim')).toEqual([decode(stream).at(-1)]);
  });

  test('a verbatim stream passes the events before an error', () => {
    const stream = example('error-mid-stream');
    const events = decode(stream, { verbatim: true }, size);
    expect(passedText(events)).toBe(stream.slice(0, stream.indexOf('event: error')));
    expect(events.at(-1)).toMatchObject({ type: 'error', kind: 'overloaded' });
  });

  test('a verbatim stream without an end marker gets one (pitfall 22)', () => {
    const stream = example('no-end-mark');
    const events = decode(stream, { verbatim: true }, size);
    expect(passedText(events)).toBe(`${stream}event: message_stop\ndata: {"type":"message_stop"}\n\n`);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
  });
});

function passedText(events: GenerateEvent[]): string {
  return Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
}

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
  const call = block(0, { type: 'tool_use', id: 'a', name: 'f', input: {} });
  const stream = start + (raw === 'tool_use' ? call : '') + ends(raw);
  expect(decode(stream).at(-1)).toMatchObject({ type: 'finish', reason, raw });
});

test('the matched stop sequence is reported', () => {
  expect(decode(start + ends('stop_sequence', {}, { stop_sequence: 'END' })).at(-1)).toMatchObject({
    stopSequence: 'END',
  });
});

test('a response with tool calls ends with tool-calls, even if the upstream reports end_turn (pitfall 9)', () => {
  const call = block(0, { type: 'tool_use', id: 'a', name: 'f', input: {} });
  expect(decode(start + call + ends('end_turn')).at(-1)).toMatchObject({ reason: 'tool-calls' });
  expect(decode(start + call + ends('max_tokens')).at(-1)).toMatchObject({ reason: 'length' });
});

describe('usage', () => {
  test('the usage of later events replaces earlier counters, and null is ignored', () => {
    const first = event({
      type: 'message_start',
      message: { id: 'x', model: 'm', usage: { input_tokens: 0, output_tokens: 1 } },
    });
    const middle = event({ type: 'message_delta', delta: {}, usage: { output_tokens: 5 } });
    const last = { input_tokens: 9, output_tokens: 7, cache_read_input_tokens: null };
    expect(decode(first + middle + ends('end_turn', last)).at(-1)).toMatchObject({
      usage: { input: 9, output: 7, cachedInput: 0, raw: { input_tokens: 9, output_tokens: 7 } },
    });
  });

  test('cache writes for one hour are separate if only they and the sum are reported', () => {
    const usage = {
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_1h_input_tokens: 10 },
      output_tokens: 1,
    };
    expect(decode(start + ends('end_turn', usage)).at(-1)).toMatchObject({
      usage: { input: 30, cacheWrite5m: 20, cacheWrite1h: 10 },
    });
  });
});

describe('blocks', () => {
  test('thinking blocks keep their signatures in any place (pitfalls 18, 19)', () => {
    const signed = (value: string) => [
      { type: 'thinking_delta', thinking: value },
      { type: 'signature_delta', signature: value.toUpperCase() },
    ];
    const stream =
      start +
      block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'x' }) +
      block(1, { type: 'thinking', thinking: '' }, ...signed('a')) +
      block(2, { type: 'thinking', thinking: '' }, ...signed('b')) +
      ends('end_turn');
    expect(answer(decode(stream)).parts).toMatchObject([
      { type: 'text' },
      { type: 'reasoning', text: 'a', signature: { value: 'A' } },
      { type: 'reasoning', text: 'b', signature: { value: 'B' } },
    ]);
  });

  test('unsigned thinking has no signature', () => {
    const stream = start + block(0, { type: 'thinking', thinking: 'hm', signature: '' }) + ends('end_turn');
    expect(answer(decode(stream)).parts).toEqual([{ type: 'reasoning', text: 'hm' }]);
  });

  test('an empty text becomes no part, and part indexes have no gap (pitfall 16)', () => {
    const stream =
      start +
      block(0, { type: 'text', text: '' }) +
      block(5, { type: 'text', text: '' }, { type: 'text_delta', text: 'x' }) +
      ends('end_turn');
    expect(decode(stream).filter(e => e.type === 'part-start')).toEqual([
      { type: 'part-start', index: 0, part: { type: 'text' } },
    ]);
  });

  test('tool input at the start of a block is kept', () => {
    const call = block(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } });
    expect(answer(decode(start + call + ends('tool_use'))).parts).toMatchObject([{ arguments: '{"x":1}' }]);
  });

  test('malformed tool input passes unchanged', () => {
    const call = block(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }, json('{"x":'));
    expect(answer(decode(start + call + ends('max_tokens'))).parts).toMatchObject([{ arguments: '{"x":' }]);
  });

  test('a custom tool call is decoded to its free text', () => {
    const call = block(
      0,
      { type: 'tool_use', id: 'a', name: 'py', input: {} },
      json('{"input":"pri'),
      json('nt(\\"1\\")"}'),
    );
    expect(answer(decode(start + call + ends('tool_use'), parts([['py', custom]]))).parts).toEqual([
      { type: 'tool-call', id: 'a', name: 'py', custom: true, arguments: 'print("1")' },
    ]);
  });

  test("a tool call has the client's name of the tool", () => {
    const call = block(0, { type: 'tool_use', id: 'a', name: 'ns_f_1', input: {} });
    const known = parts([['ns_f_1', { type: 'function', name: 'ns.f' }]]);
    expect(answer(decode(start + call + ends('tool_use'), known)).parts).toMatchObject([{ name: 'ns.f' }]);
  });

  test('a call of the answer tool becomes text', () => {
    const call = block(0, { type: 'tool_use', id: 'a', name: 'final_answer', input: {} }, json('{"a":1}'));
    const result = answer(
      decode(start + call + ends('tool_use'), parts([['final_answer', { type: 'answer' }]])),
    );
    expect(result.parts).toEqual([{ type: 'text', text: '{"a":1}' }]);
    expect(result.finish).toMatchObject({ reason: 'stop', raw: 'tool_use' });
  });

  test('blocks of an unknown type are merged with their deltas', () => {
    const compaction = block(
      0,
      { type: 'compaction', content: null },
      { type: 'compaction_delta', content: 'sum' },
    );
    expect(answer(decode(start + compaction + ends('end_turn'))).parts).toEqual([
      { type: 'opaque', format: 'messages', value: { type: 'compaction', content: 'sum' } },
    ]);
  });
});

const custom: KnownTool = { type: 'custom', name: 'py' };

describe('events', () => {
  test('events of an unknown type and pings are ignored', () => {
    const stream = `: hi\n\n${start}${event({ type: 'ping' })}${event({ type: 'new_thing', x: 1 })}${ends('end_turn')}`;
    expect(decode(stream).map(e => e.type)).toEqual(['start', 'finish']);
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
    const events = decode(start + broken + ends('end_turn'));
    expect(events.map(e => e.type)).toEqual(['start', 'error']);
    expect(events.at(-1)).toMatchObject({ kind: 'upstream' });
  });

  test('an event above the size limit becomes an error', () => {
    const decoder = decodeStream({ verbatim: true });
    const piece = Buffer.alloc(1024 * 1024, 'x');
    expect(Array.from({ length: 40 }, () => decoder.read(piece)).flat()).toMatchObject([{ type: 'error' }]);
  });

  test('an event with U+2028 is one line', () => {
    const text = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'a\u2028b' });
    expect(answer(decode(start + text + ends('end_turn'))).parts).toEqual([
      { type: 'text', text: 'a\u2028b' },
    ]);
  });

  test('a stream is complete after the stop reason', () => {
    const decoder = decodeStream(parts());
    decoder.read(Buffer.from(start));
    expect(decoder.complete).toBe(false);
    decoder.read(Buffer.from(event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } })));
    expect(decoder.complete).toBe(true);
  });
});

describe('a response that is not streamed', () => {
  const read = (body: string) => {
    const decoder = new WholeDecoder();
    decoder.read(Buffer.from(body.slice(0, 9)));
    decoder.read(Buffer.from(body.slice(9)));
    return decoder.end();
  };
  const message =
    '{ "id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"big":12345678901234567890,' +
    '"stop_reason":"stop_sequence","stop_sequence":"END","usage":{"input_tokens":2,"cache_read_input_tokens":3,"output_tokens":4}}';

  test.each([
    [
      message,
      { type: 'finish', reason: 'stop-sequence', stopSequence: 'END', usage: { input: 5, output: 4 } },
    ],
    ['{"input_tokens": 12}', { type: 'finish', usage: null }],
  ])('a body keeps its bytes: %s', (body, last) => {
    const whole = { status: 200, mediaType: 'application/json', length: body.length };
    expect(read(body)).toMatchObject([{ type: 'verbatim', bytes: Buffer.from(body), whole }, last]);
  });

  test.each([
    ['{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}', 'rate-limited'],
    ['{"content":[]}', 'upstream'],
    ['not even JSON', 'upstream'],
    ['null         ', 'upstream'],
  ])('a body that is not a response is an error: %s', (body, kind) => {
    expect(read(body)).toMatchObject([{ type: 'error', kind }]);
  });
});
