import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { laterTotals } from './loose-events.ts';

test.each(
  rows<[object, object, object]>`
  - [{a: 5}, {a: 0}, {a: 5}]
  - [{a: 5}, {a: 7}, {a: 7}]
  - [{a: 5, b: 1}, {b: 3}, {a: 5, b: 3}]
  - [{a: 5}, {a: null}, {a: 5}]
  - [{a: 5}, {a: many}, {a: 5}]
  - [{a: many}, {a: 5}, {a: 5}]
  - [{a: {b: 5, c: 1}}, {a: {b: 0}}, {a: {b: 5, c: 1}}]
  - [{a: {b: 5}}, {a: null}, {a: {b: 5}}]
  - [{a: null}, {a: {b: 5}}, {a: {b: 5}}]
  - [{tier: one}, {tier: two}, {tier: two}]
  - [{list: [{modality: TEXT, n: 5}, {modality: AUDIO, n: 2}]}, {list: [{modality: AUDIO, n: 3}, {modality: TEXT, n: 0}]}, {list: [{modality: TEXT, n: 5}, {modality: AUDIO, n: 3}]}]
  - [{list: [{modality: TEXT, n: 5}]}, {list: []}, {list: [{modality: TEXT, n: 5}]}]
  - [{list: [1, 2]}, {list: [3]}, {list: [3]}]
`,
)('%j and later %j are %j', (earlier, later, totals) => {
  expect(laterTotals<Record<string, unknown>>({ ...earlier }, { ...later })).toEqual(totals);
});

test('the first counts are as they are', () => {
  expect(laterTotals(undefined, { a: 1, b: { c: 0 } })).toEqual({ a: 1, b: { c: 0 } });
});
