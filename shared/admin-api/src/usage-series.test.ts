import { expect, test } from 'vitest';
import { seriesQuery } from './usage-series.ts';

const problems = (query: object) => seriesQuery.safeParse(query).error?.issues.map(({ path }) => path[0]);
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

test('a step must suit its time, so that a series has a bound', () => {
  expect(seriesQuery.parse({})).toMatchObject({ step: 'day', top: 10 });
  expect(problems({ step: 'minute', from: ago(6.5) })).toBeUndefined();
  expect(problems({ step: 'minute', from: ago(8) })).toEqual(['step']);
  expect(problems({ step: 'minute', from: ago(90), to: ago(88) })).toBeUndefined();
  expect(problems({ step: 'hour', from: ago(31 * 24) })).toBeUndefined();
  expect(problems({ step: 'hour', to: ago(1) })).toEqual(['step']);
  expect(problems({ step: 'all' })).toBeUndefined();
});

test('only sums of the whole time have many keys', () => {
  expect(problems({ top: '21' })).toEqual(['top']);
  expect(problems({ top: '1000', step: 'all' })).toBeUndefined();
});

test('days are a step, not a grouping', () => {
  expect(problems({ by: 'tag:team' })).toBeUndefined();
  expect(problems({ by: 'day' })).toEqual(['by']);
});
