import { expect } from 'vitest';
import type { Seen } from '../load/load.ts';

/** Expects that every request was answered as if nothing had happened. */
export function expectAllClean({ cut, broken, failed, false: wrong, clean }: Seen, least: number): void {
  expect([...failed, ...wrong, ...broken, ...cut]).toEqual([]);
  expect(clean).toBeGreaterThan(least);
}

/**
 * Expects that nothing failed that had not begun, and that what was cut off ended in an error of its format. A whole
 * answer that had begun may end with its connection: its length was announced.
 */
export function expectOnlyCut({ failed, broken, false: wrong, clean }: Seen, least: number): void {
  const streams = broken.filter(({ question }) => question.endsWith('streamed'));
  expect([...failed, ...wrong, ...streams]).toEqual([]);
  expect(clean).toBeGreaterThan(least);
}
