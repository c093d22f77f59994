import { expect, test } from 'vitest';
import { connectionWindow, leastWindow, Windows } from './frame.ts';
import { answerWindow, bodyWindow } from './protocol.ts';

const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);

test('few calls have the largest window', () => {
  for (const [largest, calls] of [
    [answerWindow, 32],
    [bodyWindow, 16],
  ] as const) {
    const windows = new Windows(largest);
    expect(Array.from({ length: calls }, () => windows.open())).toEqual(Array(calls).fill(largest));
  }
});

test.each([answerWindow, bodyWindow])(
  'ten thousand calls with windows of up to %i bytes have less credit than NATS queues for a connection',
  largest => {
    const windows = new Windows(largest);
    const sizes = Array.from({ length: 10_000 }, () => windows.open());
    expect(Math.min(...sizes)).toBe(leastWindow);
    expect(sum(sizes)).toBeLessThan(64 * 1024 * 1024);
    expect(sum(sizes)).toBeLessThanOrEqual(connectionWindow + sizes.length * leastWindow);
  },
);

test('calls that go on come to have equal windows, and larger ones once others have ended', () => {
  const windows = new Windows(answerWindow);
  const sizes = Array.from({ length: 1_000 }, () => windows.open());
  // Each client takes what its window holds, time and again.
  const take = (times: number) => {
    for (let i = 0; i < times; i++)
      for (const [call, size] of sizes.entries()) {
        const resized = windows.resize(size, size / 2);
        // Credit that was given is not taken back.
        expect(resized).toBeGreaterThanOrEqual(size / 2);
        sizes[call] = resized;
      }
  };
  take(20);
  const fair = connectionWindow / sizes.length;
  expect(sum(sizes)).toBeLessThanOrEqual(connectionWindow + sizes.length * leastWindow);
  expect(Math.max(...sizes)).toBeLessThan(1.2 * fair);
  expect(Math.min(...sizes)).toBeGreaterThan(0.8 * fair);
  for (const size of sizes.splice(10)) windows.close(size);
  take(20);
  expect(sizes).toEqual(Array(10).fill(answerWindow));
});
