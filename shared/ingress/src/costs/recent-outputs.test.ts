import { noUsage } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { beforeEach, expect, test } from 'vitest';
import { RecentOutputs, readUsualOutput, type UsualOutput, usualOutputKey } from './recent-outputs.ts';

let clock: ManualClock;
let told: UsualOutput[];
beforeEach(() => {
  clock = new ManualClock();
  told = [];
});

/** A process that tells what its answers are. */
function start(id: string): RecentOutputs {
  const outputs = new RecentOutputs(id, clock);
  outputs.onUsual = usual => told.push(usual);
  return outputs;
}

test('the usual output is what 99 of the last hundred answers do not exceed, and a thousand while nothing is known', () => {
  const outputs = start('one');
  expect(outputs.usual('m')).toBe(1_000);
  outputs.add('m', 9_000);
  outputs.add('m', 8_000);
  for (let i = 0; i < 98; i++) outputs.add('m', 10);
  expect(outputs.usual('m')).toBe(8_000);
  outputs.add('m', 10);
  outputs.add('m', 10);
  expect(outputs.usual('m')).toBe(10);
});

test('the other processes are told of what has changed much, and each hour', async () => {
  const outputs = start('one');
  for (const tokens of [100, 100, 105, 90, 120]) outputs.add('m', tokens);
  expect(told.map(({ usualOutput }) => usualOutput)).toEqual([100, 120]);
  for (let i = 0; i < 100; i++) outputs.add('m', 20);
  expect(told.map(({ usualOutput }) => usualOutput)).toEqual([100, 120, 20]);
  await clock.advance(3_600_000);
  outputs.add('m', 20);
  expect(told).toHaveLength(4);
  expect(told.at(-1)).toMatchObject({ model: 'm', by: 'one', usualOutput: 20 });
});

test('what other processes tell counts where it is more, for two hours', async () => {
  const [one, other] = [start('one'), start('other')];
  other.add('m', 5_000);
  for (const usual of told) one.read(readUsualOutput(JSON.parse(JSON.stringify(usual))) as UsualOutput);
  one.add('m', 10);
  expect([one.usual('m'), one.usual('n')]).toEqual([5_000, 1_000]);
  other.read(told.at(-1) as UsualOutput);
  expect(other.usual('m')).toBe(5_000);
  await clock.advance(7_200_001);
  expect(one.usual('m')).toBe(10);
});

test('names of models that clients choose do not fill the memory', () => {
  const outputs = start('one');
  for (let i = 0; i < 3_000; i++) {
    outputs.add(`own-${i}`, 5_000);
    outputs.read({ version: 1, model: `other-${i}`, by: 'other', usualOutput: 5_000 });
    outputs.read({ version: 1, model: 'one', by: `process-${i}`, usualOutput: i });
  }
  expect(['own-0', 'own-2999', 'other-0', 'other-2999', 'one'].map(model => outputs.usual(model))).toEqual([
    1_000, 5_000, 1_000, 5_000, 2_999,
  ]);
});

test('values of the bucket that are no usual output are not read, and each model and process has a key', () => {
  for (const value of [null, 'text', {}, { version: 1, model: 'm', by: 'one', usualOutput: -1 }])
    expect(readUsualOutput(value)).toBeUndefined();
  const usual: UsualOutput = { version: 1, model: 'a/b:c', by: 'one', usualOutput: 1 };
  const keys = [usual, { ...usual, by: 'other' }, { ...usual, model: 'a' }].map(usualOutputKey);
  expect(new Set(keys).size).toBe(3);
  expect(keys[0]).toMatch(/^[\w-]+$/);
});

/** A complete stream with so many tokens of reasoning, of which it did not show some. */
const streamed = (reasoning: number, hidden?: number) => ({
  envelope: { model: 'm' },
  usage: { ...noUsage, output: 5_000, reasoning, ...(hidden !== undefined && { hidden }) },
  passed: {} as never,
});

test.each([
  ['reasoning that is not shown', 900, streamed(900, 900)],
  ['none of reasoning that is shown', 0, streamed(900, 0)],
  ['none where there is none', 0, streamed(0)],
  ['nothing if its worker does not know', undefined, streamed(900)],
  ['nothing of a whole answer', undefined, { ...streamed(900, 900), passed: undefined }],
  ['nothing of an answer without usage', undefined, { ...streamed(1, 1), usage: null }],
])('of the output of a model, %s is known as hidden', (_, hidden, answer) => {
  const outputs = start('one');
  outputs.answered(answer);
  expect(outputs.hidden('m')).toBe(hidden);
});

test('the other processes are told of hidden output, which does not change the usual output that is unknown', () => {
  const [one, other] = [start('one'), start('other')];
  other.answered(streamed(0));
  expect(told).toEqual([]);
  other.answered(streamed(4_000, 4_000));
  expect(told.map(({ hidden }) => hidden)).toEqual([4_000]);
  for (const usual of told) one.read(readUsualOutput(JSON.parse(JSON.stringify(usual))) as UsualOutput);
  expect([one.hidden('m'), one.usual('m'), other.usual('m')]).toEqual([4_000, 1_000, 1_000]);
  for (let i = 0; i < 101; i++) other.answered(streamed(0));
  expect(other.hidden('m')).toBe(0);
});
