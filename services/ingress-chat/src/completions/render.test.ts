import { AnswerFold, type GenerateAnswer, type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { type CompletionAnswerOptions, completionRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 1_700_000_000 };
const options: CompletionAnswerOptions = { model: 'asked', usage: true, echo: [], n: 1 };
const head = { id: 'cmpl-up', object: 'text_completion', created: 1_700_000_000, model: 'up-model' };

/** Two choices: the first reasons and ends by length, the second is a refusal. */
const events: GenerateEvent[] = [
  { type: 'start', id: 'up', model: 'up-model' },
  { type: 'part-start', index: 0, part: { type: 'reasoning' } },
  { type: 'part-delta', index: 0, text: 'Hm.' },
  { type: 'part-end', index: 0 },
  { type: 'part-start', index: 1, part: { type: 'text' } },
  { type: 'part-delta', index: 1, text: ' wor' },
  { type: 'part-start', index: 0, choice: 1, part: { type: 'refusal' } },
  { type: 'part-delta', index: 0, choice: 1, text: 'No.' },
  { type: 'part-end', index: 0, choice: 1 },
  { type: 'choice-end', choice: 1, reason: 'refusal', raw: 'refusal' },
  { type: 'part-delta', index: 1, text: 'ld' },
  { type: 'part-end', index: 1 },
  { type: 'finish', reason: 'length', raw: 'length', usage: { ...noUsage, input: 3, output: 4 } },
];

function whole(more: Partial<CompletionAnswerOptions> = {}) {
  const fold = new AnswerFold();
  const answer = events.map(event => fold.add(event)).at(-1) as GenerateAnswer;
  return completionRenderer({ ...options, ...more }).whole(answer, context);
}

function chunks(more: Partial<CompletionAnswerOptions> = {}) {
  const write = completionRenderer({ ...options, ...more }).stream(context).add;
  const text = events.map(write).join('');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  const lines = text.split('\n\n').filter(line => line && line !== 'data: [DONE]');
  return lines.map(line => JSON.parse(line.slice('data: '.length)));
}

describe('a response has the text and finish reason of each choice, and the usage', () => {
  test('a complete response has every choice', () => {
    expect(whole()).toMatchObject({
      ...head,
      choices: [
        { index: 0, text: ' world', logprobs: null, finish_reason: 'length' },
        { index: 1, text: 'No.', logprobs: null, finish_reason: 'content_filter' },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    });
  });

  test('a stream has every choice', () => {
    const all = chunks();
    for (const chunk of all) expect(chunk).toMatchObject(head);
    expect(all.flatMap(({ choices }) => choices)).toEqual([
      { index: 0, text: ' wor', logprobs: null, finish_reason: null },
      { index: 1, text: 'No.', logprobs: null, finish_reason: null },
      { index: 1, text: '', logprobs: null, finish_reason: 'content_filter' },
      { index: 0, text: 'ld', logprobs: null, finish_reason: null },
      { index: 0, text: '', logprobs: null, finish_reason: 'length' },
    ]);
    expect(all.slice(0, -1).map(({ usage }) => usage)).toEqual(Array(5).fill(null));
    expect(all.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 7 } });
  });
});

test('a stream has no usage unless the client requested it', () => {
  for (const chunk of chunks({ usage: false })) expect(chunk).not.toHaveProperty('usage');
});

test('an echoed prompt precedes the text of each of its choices once', () => {
  const echo = { echo: ['Hello', 'Bye '] };
  const texts = ['Hello world', 'Bye No.'];
  expect(whole(echo)).toMatchObject({ choices: texts.map(text => ({ text })) });
  const streamed = ['', ''];
  for (const { choices } of chunks(echo)) for (const { index, text } of choices) streamed[index] += text;
  expect(streamed).toEqual(texts);
  expect(whole({ echo: ['Hello'], n: 2 })).toMatchObject({
    choices: [{ text: 'Hello world' }, { text: 'HelloNo.' }],
  });
});
