import { type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { finish, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { type CompletionAnswerOptions, completionRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 1_700_000_000 };
const options: CompletionAnswerOptions = { model: 'asked', usage: true, echo: [], n: 1 };
const head = { id: 'cmpl-up', object: 'text_completion', created: 1_700_000_000, model: 'up-model' };

/** Two choices at once: the first reasons and ends by length, the second is a refusal. */
const [wor, ld] = [partEvents(1, { type: 'text' }, [' wor']), partEvents(1, { type: 'text' }, ['ld'])];
const [hm, ...thought] = partEvents(0, { type: 'reasoning' }, ['Hm.']) as [GenerateEvent];
const [no, ...refused] = partEvents(0, { type: 'refusal' }, ['No.']).map(event => ({
  ...{ ...event, choice: 1 },
})) as [GenerateEvent];
const events: GenerateEvent[] = [
  ...[{ type: 'start', id: 'up', model: 'up-model' } as const],
  ...[hm, no, ...thought, ...wor.slice(0, -1)],
  ...[...refused, { type: 'choice-end', choice: 1, reason: 'refusal', raw: 'refusal' } as const],
  ...[...ld.slice(1), finish('length', { usage: { ...noUsage, input: 3, output: 4 } })],
];

const whole = (more: Partial<CompletionAnswerOptions> = {}) =>
  completionRenderer({ ...options, ...more }).whole(folded(events), context);

function chunks(more: Partial<CompletionAnswerOptions> = {}) {
  const text = events.map(completionRenderer({ ...options, ...more }).stream(context).add).join('');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  const lines = text.split('\n\n').filter(line => line && line !== 'data: [DONE]');
  return lines.map(line => JSON.parse(line.slice('data: '.length)));
}
const choice = (index: number, text: string, finish_reason: string | null = null) => ({
  ...{ index, text, logprobs: null, finish_reason },
});

test('a complete response has the text and finish reason of each choice, and the usage', () => {
  expect(whole()).toMatchObject({
    ...head,
    choices: [choice(0, ' world', 'length'), choice(1, 'No.', 'content_filter')],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  });
});

test('a stream has every choice, and the usage if it was requested', () => {
  const all = chunks();
  for (const chunk of all) expect(chunk).toMatchObject(head);
  expect(all.flatMap(({ choices }) => choices)).toEqual([
    ...[choice(0, ' wor'), choice(1, 'No.'), choice(1, '', 'content_filter')],
    ...[choice(0, 'ld'), choice(0, '', 'length')],
  ]);
  expect(all.slice(0, -1).map(({ usage }) => usage)).toEqual(Array(5).fill(null));
  expect(all.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 7 } });
  for (const chunk of chunks({ usage: false })) expect(chunk).not.toHaveProperty('usage');
});

test('an echoed prompt precedes the text of each of its choices once', () => {
  const echo = { echo: ['Hello', 'Bye '] };
  const texts = ['Hello world', 'Bye No.'];
  expect(whole(echo)).toMatchObject({ choices: texts.map(text => ({ text })) });
  const streamed = ['', ''];
  for (const { choices } of chunks(echo)) for (const { index, text } of choices) streamed[index] += text;
  expect(streamed).toEqual(texts);
  const both = whole({ echo: ['Hello'], n: 2 });
  expect(both).toMatchObject({ choices: [{ text: 'Hello world' }, { text: 'HelloNo.' }] });
});
