import { readFileSync } from 'node:fs';
import { AnswerFold, type GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { decodeStream } from './decode.ts';

const target = { toolName: (name: string) => name, seed: 'req_1', sameFormat: false };

function decode(name: string, size: number): GenerateEvent[] {
  const bytes = readFileSync(new URL(`examples/${name}.sse`, import.meta.url));
  const decoder = decodeStream(target);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

function fold(events: GenerateEvent[]) {
  const answer = new AnswerFold();
  return events.map(event => answer.add(event)).at(-1);
}

const start = { type: 'start', id: 'resp_a1', model: 'm-large-2026' };
const usage = { input: 950, cachedInput: 800, cacheWrite5m: 50, output: 70, reasoning: 40 };
const call = (id: string, city: string) => ({
  type: 'tool-call',
  id,
  name: 'weather',
  arguments: `{"city":"${city}"}`,
});
const text = (value: string) => ({ type: 'text', text: value });
const finish = (reason: string, raw = 'completed') => ({ type: 'finish', reason, raw, usage });
const reasoning = (id: string) => ({
  type: 'reasoning',
  text: 'Two cities.\n\nCall twice.',
  signature: { format: 'responses', value: `${id}:gAAAAABo` },
});

describe.each([1, 100, 1e9])('a Responses stream read %i bytes at a time', size => {
  test.each<[string, object[], object]>([
    ['text', [text('Héllo 🌍')], finish('stop')],
    [
      'reasoning-parallel-calls',
      [reasoning('rs_a1'), call('call_1', 'Oslo'), call('call_2', 'Rome')],
      finish('tool-calls'),
    ],
    [
      'changing-ids',
      [reasoning('rs_a1_13'), call('call_1', 'Oslo'), call('call_2', 'Rome')],
      finish('tool-calls'),
    ],
    [
      'custom-call',
      [{ type: 'tool-call', id: 'call_c', name: 'patch', arguments: '*** Begin "x"\n', custom: true }],
      finish('tool-calls'),
    ],
    ['refusal', [{ type: 'refusal', text: 'I cannot.' }], finish('refusal')],
    ['incomplete', [text('Half')], finish('length', 'max_output_tokens')],
    ['raw-reasoning', [{ type: 'reasoning', text: 'Hm.' }, text('Hi')], finish('stop')],
    [
      'done-only',
      [{ type: 'reasoning', text: 'Hm.' }, text('Hi'), call('call_1', 'Oslo')],
      finish('tool-calls'),
    ],
    [
      'completed-only',
      [{ type: 'reasoning', text: 'Hm.' }, text('Hi'), call('call_1', 'Oslo')],
      finish('tool-calls'),
    ],
    [
      'web-search',
      [
        {
          type: 'opaque',
          format: 'responses',
          value: {
            type: 'web_search_call',
            id: 'ws_1',
            status: 'completed',
            action: { type: 'search', query: 'x' },
          },
        },
        {
          ...text('It rains.'),
          citations: [{ url: 'https://example.com/a', title: 'A', start: 3, end: 8 }],
        },
      ],
      finish('stop'),
    ],
    [
      'image',
      [
        {
          type: 'media',
          kind: 'image',
          source: { type: 'base64', data: 'UklGRg==' },
          mediaType: 'image/webp',
        },
      ],
      finish('stop'),
    ],
  ])('the stream %s becomes parts and a finish event', (name, parts, end) => {
    const events = decode(name, size);
    const answer = fold(events);
    expect(answer).toMatchObject({ start, finish: end });
    expect(answer?.parts).toEqual(parts);
    expect(events.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'part-end')).toHaveLength(parts.length);
  });

  test.each([
    ['failed', 'upstream', 'Boom.'],
    ['error', 'rate-limited', 'Slow down.'],
    ['truncated', 'upstream', 'The upstream ended its answer too early.'],
  ])('the stream %s ends with an error', (name, kind, message) => {
    const events = decode(name, size);
    expect(events.at(-1)).toEqual({ type: 'error', kind, message });
    expect(events.filter(({ type }) => type === 'part-delta')).toMatchObject([{ text: 'Half' }]);
    expect(events.filter(({ type }) => type === 'finish')).toEqual([]);
  });
});

test('arguments of parallel calls interleave in stream order', () => {
  const deltas = decode('reasoning-parallel-calls', 1e9).flatMap(event =>
    event.type === 'part-delta' && event.index > 0 ? [[event.index, event.text]] : [],
  );
  expect(deltas).toEqual([
    [1, '{"city":'],
    [2, '{"city":'],
    [1, '"Oslo"}'],
    [2, '"Rome"}'],
  ]);
});
