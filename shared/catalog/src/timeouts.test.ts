import { expect, test } from 'vitest';
import { timeoutsFor } from './route.ts';
import { model } from './schema.ts';

const fields = { name: 'm', targets: [{ provider: 'p', model: 'm' }] };
const total = 1_800_000;

test('images have longer default timeouts for the first token and while idle', () => {
  const usual = { firstToken: 60_000, idle: 60_000, total };
  const plain = model.parse(fields);
  expect(timeoutsFor(plain, 'generate')).toEqual(usual);
  expect(timeoutsFor(plain, 'speech')).toEqual(usual);
  expect(timeoutsFor(plain, 'image')).toEqual({ firstToken: 300_000, idle: 300_000, total });
});

test("a model's own timeouts apply to all of its operations", () => {
  const hasty = model.parse({ ...fields, timeouts: { firstToken: '5s', total: '1m' } });
  expect(timeoutsFor(hasty, 'image')).toEqual({ firstToken: 5_000, idle: 300_000, total: 60_000 });
  expect(timeoutsFor(hasty, 'generate')).toEqual({ firstToken: 5_000, idle: 60_000, total: 60_000 });
});
