import { GatewayError } from '@model-gateway/canonical';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import { Registry } from '@model-gateway/service';
import { beforeEach, expect, test } from 'vitest';
import { countFailures, failuresToRest, TargetHealth } from './target-health.ts';

const upstream = { provider: 'p', status: 500 };
const failure = new GatewayError('upstream', 'It failed.', { upstream });
const busy = new GatewayError('overloaded', 'It is busy.', { upstream, retryAfterMs: 1_000 });
const refused = new GatewayError('upstream', 'It refused the key.', { upstream, refusedKey: true });
const clock = new ManualClock();
const route = testRoute({ key: 'default' });

let metrics: Registry;
let health: TargetHealth;
beforeEach(() => {
  metrics = new Registry();
  health = new TargetHealth('', clock);
  countFailures(health, metrics);
});

const fail = (error: GatewayError, model = 'm') =>
  health.begin({ ...route, model }, clock.now(), 'streamed').ended(error);

/** Returns the lines of the metrics that count something. */
async function counted(): Promise<string[]> {
  const lines = (await metrics.metrics()).split('\n');
  return lines.filter(line => line.startsWith('gateway_') && !line.endsWith(' 0'));
}

test('a rest is counted when it begins, and not when it is extended or ended', async () => {
  for (let i = 0; i < failuresToRest; i++) fail(failure);
  expect(await counted()).toEqual(['gateway_target_rests_total{provider="p",reason="failures"} 1']);
  fail(busy);
  health.begin({ ...route, model: 'm' }, clock.now() + 1, 'streamed').began();
  expect(health.resting()).toEqual([]);
  expect(await counted()).toEqual(['gateway_target_rests_total{provider="p",reason="failures"} 1']);
});

test('rests are counted by provider and reason, whatever their models are called', async () => {
  for (let i = 0; i < 5; i++) fail(busy, `invented-${i}`);
  fail(refused);
  expect(await counted()).toEqual([
    'gateway_target_rests_total{provider="p",reason="asked"} 5',
    'gateway_target_rests_total{provider="p",reason="refused-key"} 1',
  ]);
});

test('a rest that another process began is not counted', async () => {
  health.read({
    version: clock.now(),
    provider: 'p',
    model: 'm',
    reason: 'failures',
    error: 'upstream',
    since: clock.now(),
    until: clock.now() + 5_000,
    by: 'other',
  });
  expect(health.resting()).toHaveLength(1);
  expect(await counted()).toEqual([]);
});

test('failovers, retries and refused retries are counted', async () => {
  health.retries.failedOver();
  let taken = 0;
  while (health.retries.take('retry')) taken++;
  expect(taken).toBeGreaterThan(0);
  expect(await counted()).toEqual([
    'gateway_failovers_total 1',
    `gateway_retries_total ${taken}`,
    'gateway_retries_refused_total 1',
  ]);
});
