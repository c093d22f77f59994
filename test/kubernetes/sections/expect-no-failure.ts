import { expect } from 'vitest';
import type { Mishap, Seen } from '../load/load.ts';

const shown = 12;

/** Expects that every request was answered without an error. */
export function expectAllClean(seen: Seen, least: number): void {
  expectNone([...seen.failed, ...seen.false, ...seen.broken, ...seen.cut], seen, least);
}

/**
 * Expects that no request failed that had not begun, and that every cut response ended with an error of its
 * format. A non-streamed response that had begun may end with its connection, because its length was
 * announced.
 */
export function expectOnlyCut(seen: Seen, least: number): void {
  const streams = seen.broken.filter(({ question }) => question.endsWith('streamed'));
  expectNone([...seen.failed, ...seen.false, ...streams], seen, least);
}

function expectNone(mishaps: Mishap[], { clean, cut }: Seen, least: number): void {
  console.log(`${clean} clean answers, ${cut.length} streams cut, ${mishaps.length} that should not be`);
  const lines = mishaps.map(
    ({ outcome, question, from, to, status, broken = '', received }) =>
      `${outcome}: ${question}, from ${from} s to ${to} s, ${status} ${broken} ${received}`,
  );
  const more = lines.length > shown ? [`and ${lines.length - shown} more`] : [];
  expect([...lines.slice(0, shown), ...more]).toEqual([]);
  expect(clean).toBeGreaterThan(least);
}
