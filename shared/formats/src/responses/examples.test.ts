import { folded, readAll } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { example } from '../testing/examples.ts';
import { decodeStream } from './decode.ts';

const target = { toolName: (name: string) => name, seed: 'req_1', sameFormat: false };
const translated = (stream: string) => readAll(decodeStream(target), stream);
const usage = { input: 950, cachedInput: 800, cacheWrite5m: 50, output: 70, reasoning: 40 };

test.each(
  rows<[string, string, object[]]>`
  - [text, stop, [{type: text, text: Héllo 🌍}]]
  - - reasoning-parallel-calls
    - tool-calls
    - - &thought {type: reasoning, text: "Two cities.\n\nCall twice.", signature: {format: responses, value: 'rs_a1:gAAAAABo'}}
      - &oslo {type: tool-call, id: call_1, name: weather, arguments: '{"city":"Oslo"}'}
      - &rome {type: tool-call, id: call_2, name: weather, arguments: '{"city":"Rome"}'}
  - - changing-ids
    - tool-calls
    - [{type: reasoning, text: "Two cities.\n\nCall twice.", signature: {format: responses, value: 'rs_a1_13:gAAAAABo'}}, *oslo, *rome]
  - [custom-call, tool-calls, [{type: tool-call, id: call_c, name: patch, arguments: "*** Begin \"x\"\n", custom: true}]]
  - [refusal, refusal, [{type: refusal, text: I cannot.}]]
  - [incomplete, length, [{type: text, text: Half}]]
  - [raw-reasoning, stop, [{type: reasoning, text: Hm.}, {type: text, text: Hi}]]
  - [done-only, tool-calls, [{type: reasoning, text: Hm.}, {type: text, text: Hi}, *oslo]]
  - [completed-only, tool-calls, [{type: reasoning, text: Hm.}, {type: text, text: Hi}, *oslo]]
  - - web-search
    - stop
    - - type: opaque
        format: responses
        value: {type: web_search_call, id: ws_1, status: completed, action: {type: search, query: x}}
      - {type: text, text: It rains., citations: [{url: 'https://example.com/a', title: A, start: 3, end: 8}]}
  - [image, stop, [{type: media, kind: image, source: {type: base64, data: UklGRg==}, mediaType: image/webp}]]
`,
)('the stream %s becomes a finish event for %s and parts', (name, reason, parts) => {
  const events = translated(example('responses', name));
  const { start, finish, parts: found } = folded(events);
  expect(start).toEqual({ type: 'start', id: 'resp_a1', model: 'm-large-2026' });
  expect(finish).toMatchObject({
    reason,
    raw: name === 'incomplete' ? 'max_output_tokens' : 'completed',
    usage,
  });
  expect(found).toEqual(parts);
  const count = (type: string) => events.filter(event => event.type === type).length;
  expect([count('start'), count('part-end')]).toEqual([1, parts.length]);
});

test.each([
  ['failed', 'upstream', 'Boom.'],
  ['error', 'rate-limited', 'Slow down.'],
  ['truncated', 'upstream', 'The upstream ended its answer too early.'],
])('the stream %s ends with an error', (name, kind, message) => {
  const events = translated(example('responses', name));
  expect(events.at(-1)).toEqual({ type: 'error', kind, message });
  expect(events.filter(({ type }) => type === 'part-delta')).toMatchObject([{ text: 'Half' }]);
});

test('arguments of parallel calls interleave in stream order', () => {
  const deltas = translated(example('responses', 'reasoning-parallel-calls')).flatMap(event =>
    event.type === 'part-delta' && event.index > 0 ? `${event.index} ${event.text}` : [],
  );
  expect(deltas).toEqual(['1 {"city":', '2 {"city":', '1 "Oslo"}', '2 "Rome"}']);
});

test.each(['text', 'reasoning-parallel-calls', 'refusal', 'custom-call', 'raw-reasoning'])(
  'the stream %s without output indexes, as llama.cpp sends it, has the same answer',
  name => {
    const stream = example('responses', name);
    const bare = stream.replace(/"output_index": ?\d+, ?|, ?"output_index": ?\d+/g, '');
    expect([stream, bare].map(text => text.includes('output_index'))).toEqual([true, false]);
    expect(translated(bare)).toEqual(translated(stream));
  },
);
