import { type Bus, readUsage } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import type { UsageRecord } from '@model-gateway/canonical';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from './log.ts';
import { createMetrics } from './metrics/index.ts';
import { openUsageWriter, usageLateMs, usageNotices } from './usage.ts';

let nats: NatsServer;
let time: PassingTime;
let bus: Bus;
const reading = new AbortController();
beforeEach(async () => {
  nats = await startNats();
  time = new PassingTime();
  bus = await time.connect(nats.url);
});
afterEach(async () => {
  reading.abort();
  await time.close();
  await nats.stop();
});

const names = { model: 'm', provider: 'p' };

test('waiting usage records are counted, and reported after a minute, until NATS accepts them', async () => {
  const metrics = createMetrics();
  const writer = openUsageWriter(bus, { log: createLog('test', 'silent'), metrics }, () => names);
  const read = async (name: string) =>
    Number(new RegExp(`^${name} (\\S+)`, 'm').exec(await metrics.metrics())?.[1]);
  // The stream does not exist, so NATS accepts no records.
  writer.add({ id: '1', ms: 1 } as UsageRecord);
  expect([await read('gateway_usage_waiting'), await read('gateway_usage_waiting_bytes')]).toEqual([1, 17]);
  expect(usageNotices(writer)).toEqual([]);
  time.clock.jump(usageLateMs + 1_000);
  expect(await read('gateway_usage_waiting_seconds')).toBeGreaterThan(60);
  expect(usageNotices(writer)).toEqual([
    expect.stringMatching(/^NATS has not taken usage records for 6\d s; 1 wait/),
  ]);
  void readUsage(bus, { keep: async () => {}, failed: () => {} }, { signal: reading.signal });
  await time.eventually(() => expect(writer.waiting).toBe(0));
  expect(usageNotices(writer)).toEqual([]);
  expect(await read('gateway_usage_dropped_total')).toBe(0);
});
