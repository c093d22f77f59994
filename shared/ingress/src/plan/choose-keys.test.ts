import { GatewayError } from '@model-gateway/canonical';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { RouteFailures } from '../health/route-failures.ts';
import { TargetHealth } from '../health/target-health.ts';
import { type Candidate, chooseRoutesAndKeys } from './choose-routes.ts';

const clock = new ManualClock();
const keys = [
  { name: 'a', weight: 3 },
  { name: 'b', weight: 1 },
];
const house: Candidate = { route: testRoute({ provider: 'house', model: 'm' }), keys };
const other: Candidate = { route: testRoute({ provider: 'other', model: 'm' }) };
const order = (health: TargetHealth, random: number) =>
  chooseRoutesAndKeys([house, other], {
    ...{ strategy: undefined, kind: 'streamed', health, now: clock.now(), random: () => random },
  });
const names = (routes: ReturnType<typeof order>) =>
  routes.map(({ provider, key }) => `${provider}${key ? `/${key}` : ''}`).join();
const failure = (kind: 'upstream' | 'rate-limited', refusedKey = false) =>
  new GatewayError(kind, 'It failed.', {
    upstream: { provider: 'house' },
    ...(refusedKey && { refusedKey }),
  });

test('the keys of a target are drawn by weight, and come before the next target', () => {
  expect(names(order(new TargetHealth('', clock), 0.7))).toBe('house/a,house/b,other');
  expect(names(order(new TargetHealth('', clock), 0.8))).toBe('house/b,house/a,other');
});

test('a refused key rests for all models, and the others are tried', () => {
  const health = new TargetHealth('one', clock);
  const [first] = order(health, 0);
  health.begin(first as never, clock.now(), 'streamed').ended(failure('upstream', true));
  expect(health.resting()).toMatchObject([{ provider: 'house', key: 'a', reason: 'refused-key' }]);
  expect(health.resting()[0]).not.toHaveProperty('model');
  expect(names(order(health, 0))).toBe('house/b,house/a,other');
});

test('another key helps if a key is refused or used up, and not if the provider fails', () => {
  const [first, second, last] = order(new TargetHealth('', clock), 0) as [never, never, never];
  const left = [second, last];
  expect(new RouteFailures().add(first, failure('upstream', true), left)).toEqual(left);
  expect(new RouteFailures().add(first, failure('rate-limited'), left)).toEqual(left);
  expect(new RouteFailures().add(first, failure('upstream'), left)).toEqual([last]);
});
