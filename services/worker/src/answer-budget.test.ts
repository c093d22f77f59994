import { refusal } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { AnswerBudget } from './answer-budget.ts';

const budget = () => new AnswerBudget(8_000_000);
const mb = 1_000_000;

test('a provider holds half of the budget at most, and another one is not refused', () => {
  const answers = budget();
  const held = [1, 2, 3, 4].map(i => answers.open({ provider: 'p', token: `t${i}` }));
  for (const answer of held) answer.hold(mb);
  const more = answers.open({ provider: 'p', token: 't5' });
  expect(refusal(() => more.hold(1))).toMatchObject({
    kind: 'overloaded',
    message: "The gateway holds 4 MB of this upstream's answers, which is the most. Retry later.",
  });
  answers.open({ provider: 'q', token: 't6' }).hold(mb);
  held[0]?.release();
  more.hold(mb);
  expect(answers.held).toBe(5 * mb);
});

test('a token holds a quarter at most, and all answers the whole budget', () => {
  const answers = budget();
  const open = (provider: string, token: string) => answers.open({ provider, token });
  open('p', 't').hold(2 * mb);
  expect(refusal(() => open('q', 't').hold(1))).toMatchObject({ share: true });
  open('q', 'u').hold(2 * mb);
  open('r', 'v').hold(4 * mb);
  expect(refusal(() => open('s', 'w').hold(1))).toMatchObject({
    share: true,
    message: "The gateway holds 8 MB of upstreams' answers, which is the most. Retry later.",
  });
});

test('one answer may exceed the shares if nothing else is held, and its own growth is counted once', () => {
  const answers = budget();
  const answer = answers.open({ provider: 'p', token: 't' });
  for (let bytes = mb; bytes <= 7 * mb; bytes += mb) answer.hold(bytes);
  expect(answers.held).toBe(7 * mb);
  answer.hold(mb);
  expect(answers.held).toBe(mb);
  answer.release();
  answer.release();
  expect(answers.held).toBe(0);
});
