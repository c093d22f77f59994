import type { GenerateEvent } from '@model-gateway/canonical';
import { brief, folded, passed, readAll } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { example } from '../testing/examples.ts';
import type { KnownTool } from '../upstream/answer-tool.ts';
import { decodeStream, WholeDecoder } from './decode.ts';

function decode(stream: string, tools: [string, KnownTool][] = []): GenerateEvent[] {
  return readAll(decodeStream({ tools: new Map(tools), seed: 'req_1' }), stream);
}

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

test.each(
  rows<[string, object[], object]>`
  - - thinking-text-parallel-tools
    - - {type: reasoning, text: 'Need the weather, twice.', signature: {format: messages, value: EqQBCgIYAhIM+/==}}
      - {type: text, text: Looking in Žilina and Rome.}
      - {type: tool-call, id: toolu_01A, name: weather, arguments: '{"city": "Žilina"}'}
      - {type: tool-call, id: toolu_01B, name: weather, arguments: '{"city":"Rome"}'}
      - {type: tool-call, id: toolu_01C, name: now, arguments: ''}
    - {reason: tool-calls, raw: tool_use, usage: {input: 25, output: 137, reasoning: 40}}
  - - redacted
    - - {type: reasoning, redacted: true, text: '', signature: {format: messages, value: EmwKAhgBEgy3va3p}}
      - {type: text, text: Hello.}
    - {reason: stop}
  - - omitted-thinking
    - [{type: reasoning, text: '', signature: {format: messages, value: EpkBEh}}, {type: text, text: '42'}]
    - {reason: stop}
  - [refusal, [], {reason: refusal, raw: refusal, explanation: This request was declined.}]
  - - server-tools
    - - {type: opaque, format: messages, value: {type: server_tool_use, id: srvtoolu_1, name: web_search, input: {query: x}}}
      - {type: opaque, value: {type: web_search_tool_result, content: [{encrypted_content: abc}]}}
      - {type: text, text: Found it.}
    - {reason: pause, raw: pause_turn}
  - [no-end-mark, [{type: text, text: Whole}], {reason: length, raw: max_tokens, usage: {input: 25, output: 5}}]
  - - cache-usage
    - []
    - {usage: {input: 18554, cachedInput: 18000, cacheWrite5m: 450, cacheWrite1h: 100, output: 9}}
  - - context-management
    - [{type: reasoning, text: '', signature: {format: messages, value: EpwCCkYI}}, {type: text, text: Done.}]
    - {reason: stop, usage: {input: 1519, cachedInput: 1200, cacheWrite5m: 310, output: 64, reasoning: 57}}
  - - compaction
    - - {type: opaque, value: {type: compaction, content: The user wants a gateway., encrypted_content: Er8CCk}}
      - {type: text, text: Going on.}
    - {reason: stop, usage: {input: 1610, cachedInput: 1200, output: 12}}
  - - fallback
    - - {type: text, text: 'I will '}
      - {type: opaque, value: {type: fallback, from: {model: claude-fable-5}, to: {model: claude-opus-4-8}, trigger: {category: cyber}}}
      - {type: text, text: explain it.}
    - {reason: stop, usage: {output: 15}}
`,
)('the example stream %s is decoded', (name, parts, finish) => {
  const answer = folded(decode(example('messages', name)));
  expect(answer.start).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    model: expect.stringMatching(/^claude/),
  });
  expect(answer.finish).toMatchObject(finish);
  if (name === 'cache-usage') {
    const { output: _, raw: __, ...counts } = (answer.finish.usage ?? {}) as Record<string, unknown>;
    expect(answer.start.usage).toMatchObject(counts);
  } else if (name !== 'refusal') expect(answer.parts).toMatchObject(parts);
});

test('an error inside a stream is the last event (pitfall 20)', () => {
  const events = decode(example('messages', 'error-mid-stream'));
  expect(brief(events)).toBe('0+text | 0 Half | !overloaded');
  expect(events.at(-1)).toMatchObject({ message: 'Overloaded' });
});

test('a truncated stream becomes an error (pitfall 21)', () => {
  expect(decode(example('messages', 'truncated')).at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
});

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

describe('usage', () => {
  test('the usage of later events replaces earlier counters, and null is ignored', () => {
    const usage = { input_tokens: 0, output_tokens: 1 };
    const first = event({ type: 'message_start', message: { id: 'x', model: 'm', usage } });
    const middle = event({ type: 'message_delta', delta: {}, usage: { output_tokens: 5 } });
    const last = { input_tokens: 9, output_tokens: 7, cache_read_input_tokens: null };
    expect(decode(first + middle + ends('end_turn', last)).at(-1)).toMatchObject({
      usage: { input: 9, output: 7, cachedInput: 0, raw: { input_tokens: 9, output_tokens: 7 } },
    });
  });

  test('cache writes for one hour are separate if only they and the sum are reported', () => {
    const cache_creation = { ephemeral_1h_input_tokens: 10 };
    const usage = { cache_creation_input_tokens: 30, cache_creation, output_tokens: 1 };
    expect(decode(start + ends('end_turn', usage)).at(-1)).toMatchObject({
      usage: { input: 30, cacheWrite5m: 20, cacheWrite1h: 10 },
    });
  });
});

describe('blocks', () => {
  test('thinking blocks keep their signatures in any place (pitfalls 18, 19)', () => {
    const thinks = (index: number, thinking: string) =>
      block(
        ...([index, { type: 'thinking', thinking: '' }] as const),
        ...[
          { type: 'thinking_delta', thinking },
          { type: 'signature_delta', signature: thinking.toUpperCase() },
        ],
      );
    expect(
      folded(decode(start + says(0, 'x') + thinks(1, 'a') + thinks(2, 'b') + ends())).parts,
    ).toMatchObject([
      { type: 'text' },
      { type: 'reasoning', text: 'a', signature: { value: 'A' } },
      { type: 'reasoning', text: 'b', signature: { value: 'B' } },
    ]);
  });

  test('an empty text becomes no part, and part indexes have no gap (pitfall 16)', () => {
    expect(brief(decode(start + says(0, '') + says(5, 'x') + ends()))).toBe('0+text | 0 x | 0. | =stop');
  });

  const answer: KnownTool = { type: 'answer' };
  test.each<[string, string, object, KnownTool?]>([
    [
      'unsigned thinking, without a signature',
      block(0, { type: 'thinking', thinking: 'hm', signature: '' }),
      { type: 'reasoning', text: 'hm' },
    ],
    ['U+2028, which is no line end', says(0, 'a\u2028b'), { type: 'text', text: 'a\u2028b' }],
    [
      'tool input at the start of a block',
      block(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }),
      { type: 'tool-call', id: 'a', name: 'f', arguments: '{"x":1}' },
    ],
    ['malformed tool input', calls('{"x":'), { type: 'tool-call', id: 'a', name: 'f', arguments: '{"x":' }],
    [
      'a custom tool call, as its free text',
      calls('{"input":"pri', 'nt(\\"1\\")"}'),
      { type: 'tool-call', id: 'a', name: 'py', custom: true, arguments: 'print("1")' },
      { type: 'custom', name: 'py' },
    ],
    [
      "a tool call with the client's name of the tool",
      calls('{}'),
      { type: 'tool-call', id: 'a', name: 'ns.f', arguments: '{}' },
      { type: 'function', name: 'ns.f' },
    ],
    ['a call of the answer tool, as text', calls('{"a":1}'), { type: 'text', text: '{"a":1}' }, answer],
    [
      'a block of an unknown type, with its deltas',
      block(0, { type: 'compaction', content: null }, { type: 'compaction_delta', content: 'sum' }),
      { type: 'opaque', format: 'messages', value: { type: 'compaction', content: 'sum' } },
    ],
  ])('%s becomes a part', (_what, content, part, tool) => {
    const { parts, finish } = folded(decode(start + content + ends('tool_use'), tool ? [['f', tool]] : []));
    expect(parts).toEqual([part]);
    if (tool === answer) expect(finish).toMatchObject({ reason: 'stop', raw: 'tool_use' });
  });
});

const opens = (index: unknown, content: object) =>
  event({ type: 'content_block_start', index, content_block: content });
const more = (index: unknown, delta: object) => event({ type: 'content_block_delta', index, delta });
const stops = (index: unknown) => event({ type: 'content_block_stop', index });
const text = { type: 'text', text: '' };
const thinking = { type: 'thinking', thinking: '' };
const tool = { type: 'tool_use', id: 'a', name: 'f', input: {} };
const adds = (text: string) => ({ type: 'text_delta', text });
const thinks = (thinking: string) => ({ type: 'thinking_delta', thinking });
const args = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

test.each([
  [
    'an index for all blocks',
    opens(0, text) + more(0, adds('x')) + stops(0) + opens(0, tool) + more(0, args('{}')) + stops(0),
  ],
  [
    'an index that is used again without an end',
    opens(0, text) + more(0, adds('x')) + opens(0, tool) + more(0, args('{}')),
  ],
  [
    'no index',
    opens(null, text) +
      more(null, adds('x')) +
      stops(null) +
      opens(null, tool) +
      more(null, args('{}')) +
      stops(null),
  ],
  [
    'an index in text',
    opens('0', text) + more('0', adds('x')) + stops('0') + opens('1', tool) + more('1', args('{}')),
  ],
  [
    'deltas of index 0',
    opens(0, text) + more(0, adds('x')) + stops(0) + opens(1, tool) + more(0, args('{}')) + stops(1),
  ],
  ['deltas of the other block', opens(0, text) + more(1, adds('x')) + opens(1, tool) + more(0, args('{}'))],
  [
    'foreign indexes',
    opens(4, text) + more(9, adds('x')) + stops(4) + opens(7, tool) + more(2, args('{}')) + stops(7),
  ],
  ['no start of its text', more(0, adds('x')) + stops(0) + opens(1, tool) + more(1, args('{}')) + stops(1)],
])('a stream with %s has its text and its call', (_what, blocks) => {
  const { parts } = folded(decode(start + blocks + ends('tool_use')));
  expect(parts).toEqual([
    { type: 'text', text: 'x' },
    { type: 'tool-call', id: 'a', name: 'f', arguments: '{}' },
  ]);
});

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

test('text and thinking of one index become parts in their order', () => {
  const mixed = opens(0, thinking) + more(0, thinks('a')) + more(0, adds('b')) + more(0, thinks('c'));
  expect(folded(decode(start + mixed + ends())).parts).toMatchObject([
    { type: 'reasoning', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'reasoning', text: 'c' },
  ]);
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

  test('an error without content beside an event is none', () => {
    const stream =
      start.replace('{"type"', '{"error":{"code":0,"message":""},"type"') + says(0, 'x') + ends();
    expect(folded(decode(stream)).parts).toMatchObject([{ text: 'x' }]);
  });

  test('events of an unknown type and pings are ignored', () => {
    const odd = `: hi\n\n${start}${event({ type: 'ping' })}${event({ type: 'new_thing', x: 1 })}${ends()}`;
    expect(decode(odd).map(({ type }) => type)).toEqual(['start', 'finish']);
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
