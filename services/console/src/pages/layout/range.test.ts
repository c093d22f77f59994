import { expect, test } from 'vitest';
import { rangeOf, spanAt, withRange } from './range.ts';

const read = (query: string) => rangeOf(new URLSearchParams(query), '24h');

test('the query of a page names a preset or two times', () => {
  expect(read('')).toEqual({ preset: '24h' });
  expect(read('range=7d')).toEqual({ preset: '7d' });
  expect(read('range=toString')).toEqual({ preset: '24h' });
  expect(read('range=7d&from=2026-11-01T00:00:00Z')).toEqual({
    ...{ preset: null, from: '2026-11-01T00:00:00.000Z', to: null },
  });
  expect(read('from=yesterday')).toEqual({ preset: '24h' });
});

test('a range takes the place of the earlier one in a query, and the usual one is left out', () => {
  const change = (query: string, range: Parameters<typeof withRange>[1]) =>
    withRange(new URLSearchParams(query), range, '24h').toString();
  expect(change('by=model&range=7d', { preset: '24h' })).toBe('by=model');
  expect(change('from=a&to=b', { preset: '1h' })).toBe('range=1h');
  const from = '2026-11-01T00:00:00.000Z';
  const changed = change('range=1h', { preset: null, from, to: null });
  expect(rangeOf(new URLSearchParams(changed), '24h')).toEqual({ preset: null, from, to: null });
});

test('a preset ends now, and has no end that would leave out what is new', () => {
  const now = Date.UTC(2026, 10, 2);
  expect(spanAt({ preset: '24h' }, now)).toEqual({ from: '2026-11-01T00:00:00.000Z' });
  expect(spanAt({ preset: 'any' }, now)).toEqual({});
  expect(spanAt({ preset: null, from: null, to: '2026-11-01T00:00:00.000Z' }, now)).toEqual({
    to: '2026-11-01T00:00:00.000Z',
  });
});
