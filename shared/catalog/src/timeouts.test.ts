import { expect, test } from 'vitest';
import { timeoutsFor } from './record.ts';
import { model } from './schema.ts';

const given = { name: 'm', targets: [{ provider: 'p', model: 'm' }] };
const total = 1_800_000;

test('an image may take longer to begin, and between two views of it, than what comes as text or sound', () => {
  const usual = { firstToken: 60_000, idle: 60_000, total };
  const plain = model.parse(given);
  expect(timeoutsFor(plain, 'generate')).toEqual(usual);
  expect(timeoutsFor(plain, 'speech')).toEqual(usual);
  expect(timeoutsFor(plain, 'image')).toEqual({ firstToken: 300_000, idle: 300_000, total });
});

test('what a model says holds for all that it does', () => {
  const hasty = model.parse({ ...given, timeouts: { firstToken: '5s', total: '1m' } });
  expect(timeoutsFor(hasty, 'image')).toEqual({ firstToken: 5_000, idle: 300_000, total: 60_000 });
  expect(timeoutsFor(hasty, 'generate')).toEqual({ firstToken: 5_000, idle: 60_000, total: 60_000 });
});
