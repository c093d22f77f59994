import { expect, test } from 'vitest';
import { AnswerFold } from './answer.ts';

test('a second start event discards the answer before it', () => {
  const fold = new AnswerFold();
  const text = (index: number, delta: string, choice?: number) => {
    const at = { index, ...(choice && { choice }) };
    fold.add({ type: 'part-start', ...at, part: { type: 'text' } });
    fold.add({ type: 'part-delta', ...at, text: delta });
  };
  fold.add({ type: 'start', id: 'one', model: 'm' });
  text(0, 'cut o');
  text(1, 'and more');
  text(0, 'another choice', 1);
  fold.add({ type: 'choice-end', choice: 1, reason: 'stop', raw: 'stop' });
  fold.add({ type: 'start', id: 'two', model: 'm' });
  text(0, 'whole');
  const finish = { type: 'finish', reason: 'stop', raw: 'stop', usage: null } as const;
  expect(fold.add(finish)).toEqual({
    start: { type: 'start', id: 'two', model: 'm' },
    parts: [{ type: 'text', text: 'whole' }],
    finish,
  });
});

test('a choice that the upstream left out is no hole in the answer', () => {
  const fold = new AnswerFold();
  fold.add({ type: 'start', id: 'one', model: 'm' });
  fold.add({ type: 'part-start', index: 0, choice: 2, part: { type: 'text' } });
  fold.add({ type: 'choice-end', choice: 2, reason: 'stop', raw: 'stop' });
  const answer = fold.add({ type: 'finish', reason: 'stop', raw: 'stop', usage: null });
  expect(answer?.more).toEqual([
    { parts: [{ type: 'text', text: '' }], end: { reason: 'stop', raw: 'stop' } },
  ]);
  expect([...(answer?.more ?? [])]).toHaveLength(1);
});
