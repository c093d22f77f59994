import { expect, test } from 'vitest';
import { estimateUsage, hiddenIn } from './estimate-usage.ts';
import { noUsage } from './usage.ts';

test.each([
  // hidden, silentMs, characters, output
  ['a stream of a model that hides nothing', 0, 60_000, 400, 100],
  ['one of a model of which nothing is known, with its first text soon', undefined, 14_999, 400, 100],
  ['the same after a long silence', undefined, 30_000, 400, 3_100],
  ['the same while it is silent', undefined, 30_000, 0, 3_000],
  ['one of a model that reasons, with text', 5_000, 100, 400, 5_100],
  ['the same while it is silent', 5_000, 1_200, 0, 1_200],
  ['the same after more than its usual time', 5_000, 20_000, 0, 5_000],
  ['the same after much more', 5_000, 100_000, 0, 10_000],
  ['a whole answer', 5_000, undefined, 400, 100],
])('the output of %s is estimated', (_, hidden, silentMs, characters, output) => {
  const prompt = { input: 50, ...(hidden !== undefined && { hidden }) };
  expect(estimateUsage(prompt, characters, null, silentMs)).toEqual({ ...noUsage, input: 50, output });
});

test('reasoning that the upstream has reported is not estimated', () => {
  const reported = { ...noUsage, input: 70, output: 900, reasoning: 800 };
  expect(estimateUsage({ input: 50, hidden: 5_000 }, 400, reported, 9_000)).toEqual(reported);
  const before = { ...noUsage, input: 70, output: 1 };
  expect(estimateUsage({ input: 50, hidden: 5_000 }, 400, before, 9_000)).toEqual({
    ...before,
    output: 5_100,
  });
});

test.each([
  ['reasoning that is not shown', 900, 1_000, 900, 400],
  ['the part of it that is not shown', 600, 1_000, 900, 1_600],
  ['none of reasoning that is shown', 0, 1_000, 900, 4_000],
  ['none of a text of longer tokens', 0, 1_000, 0, 1_600],
])('of a complete stream, %s is hidden', (_, hidden, output, reasoning, characters) => {
  expect(hiddenIn({ ...noUsage, output, reasoning }, characters)).toBe(hidden);
});
