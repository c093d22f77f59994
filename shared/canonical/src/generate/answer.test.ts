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
