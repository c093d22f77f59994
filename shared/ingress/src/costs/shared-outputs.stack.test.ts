import { type Bus, connectBus, openProjection } from '@model-gateway/bus';
import { type NatsServer, startNats, urlFor } from '@model-gateway/bus/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { shareHealth } from '../health/shared-health.ts';
import { TargetHealth } from '../health/target-health.ts';
import { RecentOutputs } from './recent-outputs.ts';

let nats: NatsServer;
const buses: Bus[] = [];
const closed = new AbortController();
beforeAll(async () => {
  nats = await startNats();
  const control = await connect('control');
  // A busy server may answer a request of JetStream too late.
  const bucket = await vi.waitFor(() => openProjection(control, 'health'), { timeout: 60_000 });
  await bucket.beat();
});
afterAll(async () => {
  closed.abort();
  for (const bus of buses) await bus.close();
  await nats?.stop();
});

async function connect(name: 'control' | 'front'): Promise<Bus> {
  const bus = await connectBus({ url: urlFor(nats.url, name), name });
  buses.push(bus);
  return bus;
}

/** Starts an ingress, as far as it knows the sizes of answers. */
async function start(id: string): Promise<RecentOutputs> {
  const outputs = new RecentOutputs(id);
  await shareHealth(await connect('front'), new TargetHealth(id), outputs, closed.signal);
  return outputs;
}

test('an ingress knows how long the answers of the others are, also one that starts later', async () => {
  const [one, other] = [await start('one'), await start('other')];
  one.add('a/model:with*signs', 5_000);
  await vi.waitFor(() => expect(other.usual('a/model:with*signs')).toBe(5_000), { timeout: 60_000 });
  other.add('a/model:with*signs', 7_000);
  await vi.waitFor(() => expect(one.usual('a/model:with*signs')).toBe(7_000), { timeout: 60_000 });
  const control = await openProjection(buses[0] as Bus, 'health');
  await vi.waitFor(async () => expect(await control.keys()).toHaveLength(2), { timeout: 60_000 });
  const late = await start('late');
  await vi.waitFor(() => expect(late.usual('a/model:with*signs')).toBe(7_000), { timeout: 60_000 });
});
