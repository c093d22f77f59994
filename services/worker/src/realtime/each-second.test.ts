import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { EachSecond } from './bridge-usage.ts';

test('the rest of a second is told once its bound is reached', async () => {
  const clock = new ManualClock();
  const counted = new EachSecond(3, clock);
  expect([counted.count(), counted.count()]).toEqual([0, 0]);
  await clock.advance(400);
  expect([counted.count(), counted.count()]).toEqual([600, 600]);
  await clock.advance(600);
  expect([counted.count(), counted.count(), counted.count()]).toEqual([0, 0, 1_000]);
});
