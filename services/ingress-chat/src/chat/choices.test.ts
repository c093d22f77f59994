import { AnswerFold, type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { chatRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 0 };
const { whole, stream } = chatRenderer({ model: 'm', usage: false, legacy: false });

const cited = [
  { url: 'https://a.example', title: 'A' },
  { url: 'https://b.example', title: 'B', start: 1, end: 2 },
];
const events: GenerateEvent[] = [
  { type: 'start', id: 'x', model: 'm' },
  { type: 'part-start', index: 0, part: { type: 'text' } },
  { type: 'part-start', choice: 1, index: 0, part: { type: 'text' } },
  { type: 'part-delta', choice: 1, index: 0, text: 'one' },
  { type: 'part-delta', index: 0, text: 'Well. ' },
  { type: 'part-end', index: 0 },
  { type: 'part-start', index: 1, part: { type: 'text' } },
  { type: 'part-delta', index: 1, text: 'zero' },
  { type: 'part-end', index: 1, citations: cited },
  { type: 'part-end', choice: 1, index: 0 },
  { type: 'choice-end', choice: 1, reason: 'length', raw: 'max_tokens' },
  { type: 'finish', reason: 'stop', raw: 'end_turn', usage: noUsage },
];
const annotations = [
  {
    type: 'url_citation',
    url_citation: { url: 'https://a.example', title: 'A', start_index: 6, end_index: 10 },
  },
  {
    type: 'url_citation',
    url_citation: { url: 'https://b.example', title: 'B', start_index: 7, end_index: 8 },
  },
];

test('a complete response has every choice, with citations at their positions in the message', () => {
  const fold = new AnswerFold();
  const answer = events.map(event => fold.add(event)).at(-1);
  expect(answer && whole(answer, context)).toMatchObject({
    choices: [
      { index: 0, message: { content: 'Well. zero', annotations }, finish_reason: 'stop' },
      { index: 1, message: { content: 'one', annotations: [] }, finish_reason: 'length' },
    ],
  });
});

test('a stream interleaves choices, each with its role and finish reason', () => {
  const lines = events.map(stream(context).add).join('').split('\n\n').slice(0, -2);
  const seen = lines.map(line => JSON.parse(line.slice('data: '.length)).choices[0]);
  expect(seen.map(({ index, delta, finish_reason: end }) => [index, delta.content ?? end ?? delta])).toEqual([
    [0, ''],
    [1, ''],
    [1, 'one'],
    [0, 'Well. '],
    [0, 'zero'],
    [0, { annotations }],
    [1, 'length'],
    [0, 'stop'],
  ]);
});
