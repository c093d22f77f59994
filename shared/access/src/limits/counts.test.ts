import { expect, test } from 'vitest';
import { SlidingWindow, slotMs } from './counts.ts';

test('an amount counts for at least 60.5 s and at most half a second more', () => {
  for (const at of [0, 1, 499, 500, 10_000, 123_456]) {
    const window = new SlidingWindow();
    window.add(3, at, at);
    expect(window.sum(at)).toBe(3);
    expect(window.sum(at + 60_500)).toBe(3);
    expect(window.sum(at + 60_500 + slotMs)).toBe(0);
  }
});

test('no span of 60 s admits more than the limit, and the limit is reached', () => {
  const window = new SlidingWindow();
  const limit = 20;
  const admitted: number[] = [];
  let random = 7;
  for (let now = 0; now < 600_000; now += 37 + (random % 400)) {
    random = (random * 48_271) % 2_147_483_647;
    if (window.waitMs(1, limit, now) !== 0) continue;
    window.add(1, now, now);
    admitted.push(now);
  }
  for (const [i, start] of admitted.entries())
    expect(admitted.slice(i).filter(at => at - start <= 60_500).length).toBeLessThanOrEqual(limit);
  expect(admitted.length).toBeGreaterThan(limit * 9);
});

test('the wait is the time until enough was freed', () => {
  const window = new SlidingWindow();
  window.add(5, 1_000, 1_000);
  window.add(5, 31_000, 31_000);
  expect(window.waitMs(1, 10, 40_000)).toBe(62_000 - 40_000);
  expect(window.waitMs(6, 10, 40_000)).toBe(92_000 - 40_000);
  expect(window.waitMs(11, 10, 40_000)).toBeUndefined();
  expect(window.waitMs(1, 10, 62_000)).toBe(0);
});

test('a correction counts in the slot of its request, and never makes an amount negative', () => {
  const window = new SlidingWindow();
  window.add(100, 1_000, 1_000);
  window.add(-60, 1_000, 20_000);
  expect(window.sum(20_000)).toBe(40);
  window.add(-60, 1_000, 20_000);
  expect(window.sum(20_000)).toBe(0);
  window.add(7, 1_000, 20_000);
  expect(window.sum(61_500)).toBe(7);
  expect(window.sum(62_000)).toBe(0);
  window.add(7, 1_000, 62_500);
  expect(window.sum(62_500)).toBe(0);
});

test('its entries rebuild it with another clock', () => {
  const window = new SlidingWindow();
  window.add(2, 5_000, 5_000);
  window.add(3, 40_000, 40_000);
  const other = new SlidingWindow();
  const offset = 1_000_000;
  for (const { amount, ageMs } of window.entries(50_000)) other.add(amount, offset - ageMs, offset);
  expect(other.sum(offset)).toBe(5);
  expect(other.sum(offset + 14_000)).toBe(5);
  expect(other.sum(offset + 16_500)).toBe(3);
  expect(other.sum(offset + 51_500)).toBe(0);
});
