import { expect, test } from 'vitest';
import { JsonTooLargeError, jsonWeight, writeInSteps } from './write-in-steps.ts';

const turn = async () => {};

test('a text over its limit is not begun, however often one value is named', async () => {
  const item = { text: 'x'.repeat(1_000) };
  const many = { list: Array(1_000_000).fill(item) };
  let turns = 0;
  let taken = 0;
  const counted = async () => void turns++;
  const take = (bytes: number) => {
    taken += bytes;
  };
  const failed = writeInSteps(many, counted, { limit: 10_000, take });
  await expect(failed).rejects.toThrow(new JsonTooLargeError(10_000));
  expect([turns, taken]).toEqual([0, 0]);
});

test('a text that becomes longer than it was estimated ends at its limit', async () => {
  const text = '\u0001'.repeat(10_000);
  const taken: number[] = [];
  const take = (bytes: number) => void taken.push(bytes);
  const failed = writeInSteps([text, text], turn, { step: 1_000, limit: 30_000, take });
  await expect(failed).rejects.toThrow(JsonTooLargeError);
  expect(taken.reduce((sum, bytes) => sum + bytes)).toBeLessThan(40_000);
});

test.each([
  ['small', 'x'],
  ['large', 'x'.repeat(5_000)],
  ['large, with longer bytes', '\u4e2d"'.repeat(5_000)],
])('room is taken before a %s text is written, for all of its bytes', async (_name, text) => {
  const value = { a: text, b: [1, 2, { c: text }] };
  let taken = 0;
  const before: number[] = [];
  const take = (bytes: number) => {
    taken += bytes;
  };
  const noting = async () => void before.push(taken);
  const pieces = await writeInSteps(value, noting, { step: 1_000, take });
  const { length } = Buffer.concat(pieces);
  expect(taken).toBeGreaterThanOrEqual(length);
  if (before.length > 0) expect(before[0]).toBeGreaterThanOrEqual(text.length);
  expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(value));
});

test('what refuses room ends the writing, and so does the signal between two steps', async () => {
  const value = Array(50).fill('x'.repeat(1_000));
  const refuse = () => {
    throw new Error('no room');
  };
  await expect(writeInSteps(value, turn, { step: 1_000, take: refuse })).rejects.toThrow('no room');
  const abort = new AbortController();
  let turns = 0;
  const leaving = async () => {
    if (++turns === 3) abort.abort(new Error('left'));
  };
  await expect(writeInSteps(value, leaving, { step: 1_000, signal: abort.signal })).rejects.toThrow('left');
  expect(turns).toBe(3);
});

test('jsonWeight estimates the length of a text, and stops at a bound', () => {
  const value = { a: ['x'.repeat(500), 1, true], b: 'y'.repeat(500) };
  const { length } = JSON.stringify(value);
  expect(jsonWeight(value)).toBeGreaterThan(0.9 * length);
  expect(jsonWeight(value)).toBeLessThan(1.2 * length);
  expect(jsonWeight(Array(1_000_000).fill(value), 10_000)).toBeLessThan(12_000);
});
