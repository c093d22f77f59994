import { expect, test } from 'vitest';
import { addUp } from '../ledger/measures.ts';
import { frameBefore, frameOf, nameOfKey, pointsOf } from './points.ts';

const now = Date.UTC(2026, 10, 25, 14, 30, 10);
const last = (ms: number) => frameOf({ from: new Date(now - ms).toISOString() }, now);
const iso = (ms: number) => new Date(ms).toISOString();
const hourMs = 3_600_000;

test('a frame begins with a whole step of a length that suits it', () => {
  expect(last(hourMs)).toMatchObject({ step: 'minute', from: Date.UTC(2026, 10, 25, 13, 30), to: now });
  expect(last(24 * hourMs)).toMatchObject({ step: 'hour', from: Date.UTC(2026, 10, 24, 14) });
  expect(last(30 * 24 * hourMs)).toMatchObject({ step: 'day', from: Date.UTC(2026, 9, 26) });
});

test('the frame before has as many steps, and ends at the same part of its last one', () => {
  const before = frameBefore(last(24 * hourMs));
  expect([iso(before.from), iso(before.to)]).toEqual([
    '2026-11-23T13:00:00.000Z',
    '2026-11-24T13:30:10.000Z',
  ]);
});

test('rows are in their steps, and the other steps are empty', () => {
  const frame = { step: 'hour', from: Date.UTC(2026, 10, 25, 12), to: now } as const;
  const row = (start: string, key: string | null, rest = false) => ({
    ...{ ...addUp([]), start, key, rest, requests: 1 },
  });
  const rows = [
    row('2026-11-25T12:00:00Z', 'a'),
    ...[row('2026-11-25T14:00:00Z', 'a'), row('2026-11-25T14:00:00Z', null, true)],
  ];
  const points = pointsOf(rows, frame);
  expect(points.map(({ at, all, byKey }) => [iso(at), all.requests, [...byKey.keys()]])).toEqual([
    ['2026-11-25T12:00:00.000Z', 1, ['key:a']],
    ['2026-11-25T13:00:00.000Z', 0, []],
    ['2026-11-25T14:00:00.000Z', 2, ['key:a', 'rest']],
  ]);
});

test('a key is told from no key and from the joined ones, whatever it is called', () => {
  const names = ['none', 'rest', null].map(key => nameOfKey({ key, rest: false }));
  expect(new Set([...names, nameOfKey({ key: null, rest: true })]).size).toBe(4);
});
