import { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { longestWaitMs, RetryBudget, retryShare, retryWait, spareRetries } from './retry-budget.ts';

test('further attempts are at most a fifth of the requests, besides a few', () => {
  const budget = new RetryBudget(new ManualClock());
  let taken = 0;
  for (let i = 0; i < 1_000; i++) {
    budget.sent();
    if (budget.take('retry')) taken++;
  }
  expect(taken).toBeLessThanOrEqual(1_000 * retryShare + spareRetries);
  expect(taken).toBeGreaterThan(1_000 * retryShare - 2);
});

test('a few further attempts need no other requests, and one more each second', async () => {
  const clock = new ManualClock();
  const budget = new RetryBudget(clock);
  const take = () => Array.from({ length: 10 }, () => budget.take('retry')).filter(Boolean).length;
  expect([take(), take()]).toEqual([spareRetries, 0]);
  await clock.advance(1_000);
  expect(take()).toBe(1);
  await clock.advance(60_000);
  expect(take()).toBe(spareRetries);
});

/** Sends some requests, and then takes as many attempts as there are. */
const taken = (budget: RetryBudget, requests: number, kind: 'failover' | 'hedge' = 'failover') => {
  for (let i = 0; i < requests; i++) budget.sent();
  return Array.from({ length: requests }, () => budget.take(kind)).filter(Boolean).length;
};

test('requests before save up nothing but those few', () => {
  const budget = new RetryBudget(new ManualClock());
  expect(taken(budget, 1_000)).toBe(spareRetries);
});

test('attempts that were not to be refused leave less for later ones', () => {
  const budget = new RetryBudget(new ManualClock());
  for (let i = 0; i < 100; i++) budget.failedOver();
  expect([taken(budget, 50), taken(budget, 26)]).toEqual([0, spareRetries]);
});

test('hedges may be saved up, as far as there were no other attempts', () => {
  const budget = new RetryBudget(new ManualClock());
  expect([taken(budget, 101, 'hedge'), taken(budget, 1, 'hedge')]).toEqual([20 + spareRetries, 0]);
  taken(budget, 101);
  expect(taken(budget, 1, 'hedge')).toBe(1);
});

const upstream = { provider: 'p', status: 503 };

test('the wait before a retry grows, and half of it is random', () => {
  const busy = new GatewayError('overloaded', '', { upstream });
  expect([0, 1, 2].map(earlier => retryWait(busy, earlier, () => 0))).toEqual([125, 250, 500]);
  expect(retryWait(busy, 0, () => 1)).toBe(250);
});

test('a retry waits for as long as the upstream asks, but not for too long', () => {
  const asking = (retryAfterMs: number) => new GatewayError('rate-limited', '', { upstream, retryAfterMs });
  expect(retryWait(asking(1_000), 0, () => 0)).toBe(1_125);
  expect(retryWait(asking(longestWaitMs + 1), 0, () => 0)).toBeUndefined();
});

test.each([
  [
    'a timeout of the upstream',
    new GatewayError('timeout', '', { upstream: { provider: 'p', status: 504 } }),
  ],
  ['a lost connection', new GatewayError('upstream', '', { upstream: { provider: 'p' } })],
])('%s is sent again', (_, error) => {
  expect(retryWait(error, 0, () => 0)).toBe(125);
});

test.each([
  ['a timeout of the gateway', new GatewayError('timeout', '', { upstream: { provider: 'p' } })],
  ['a refusal of the model', new GatewayError('upstream', '', { upstream: { provider: 'p', status: 403 } })],
  ['a refused key', new GatewayError('upstream', '', { upstream, refusedKey: true })],
  ['an unknown model', new GatewayError('not-found', '', { upstream })],
  ['an error of the gateway', new GatewayError('overloaded', '')],
])('%s is not sent again', (_, error) => {
  expect(retryWait(error, 0, () => 0)).toBeUndefined();
});
