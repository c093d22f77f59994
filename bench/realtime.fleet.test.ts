import { expect, test } from 'vitest';
import { measureRealtime } from './realtime.ts';

test('the realtime bench reports figures of each process, direct and through the gateway', async () => {
  const options = { idle: 20, active: 5, seconds: 0.5, rounds: 1, settleMs: 100 };
  const figures = await measureRealtime(options, AbortSignal.timeout(110_000));
  expect(Object.keys(figures.sessionKb)).toEqual(['front', 'worker', 'nats']);
  expect(figures.direct.p50).toBeGreaterThan(0);
  expect(figures.gateway.p50).toBeGreaterThan(0);
  expect(figures.gateway.p99).toBeGreaterThanOrEqual(figures.gateway.p50);
});
