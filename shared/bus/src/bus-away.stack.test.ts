import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Bus, Caller, connectBus, Server } from './index.ts';
import { type OwnNatsServer, pauseProcess, startOwnNats } from './testing/nats-server.ts';

let nats: OwnNatsServer;
let clock: ManualClock;
let bus: Bus;
let caller: Caller;
beforeEach(async () => {
  nats = await startOwnNats();
  clock = new ManualClock();
  bus = await connectBus({ url: nats.url, name: 'test', clock });
  caller = await Caller.open(bus);
});
afterEach(async () => {
  caller.close();
  await bus.close();
  await nats.stop();
});

/** Makes a call, and returns its events. */
function ask(queueMs = 5_000): GenerateEvent[] {
  const events: GenerateEvent[] = [];
  const onEvents = (more: GenerateEvent[]) => void events.push(...more);
  const envelope = testEnvelope({ textLength: 2 });
  caller.call({ pool: 'default', envelope, body: Buffer.from('{}'), queueMs, onEvents });
  return events;
}

async function startWorker(capacity: number): Promise<Server> {
  const server = await Server.open(bus, { pool: 'default', capacity, serve: () => {} });
  await bus.calls.flush();
  return server;
}

const away = { kind: 'overloaded', code: 'bus_unavailable', retryAfterMs: 5_000, unserved: true };

test('a call while NATS stands still is told that the bus cannot be reached, and a later one is served', async () => {
  const server = await startWorker(10);
  await pauseProcess(nats.pid);
  const events = ask();
  const queued = ask(60_000);
  await clock.advance(6_000);
  process.kill(nats.pid, 'SIGCONT');
  expect(events).toMatchObject([away]);
  await bus.calls.flush();
  await clock.advance(1_000);
  await vi.waitFor(async () => {
    await clock.advance(250);
    expect(server.load).toBe(1);
  });
  expect(queued).toEqual([]);
  server.close();
});

test('a call of a short queue is told so, too', async () => {
  await startWorker(10);
  await pauseProcess(nats.pid);
  const events = ask(2_500);
  await clock.advance(5_000);
  process.kill(nats.pid, 'SIGCONT');
  expect(events).toMatchObject([away]);
});

test('a call whose workers are all busy is told that, and one without any worker that there is none', async () => {
  const over = (events: GenerateEvent[]) =>
    vi.waitFor(async () => {
      await clock.advance(250);
      await bus.calls.flush();
      expect(events).toHaveLength(1);
    });
  const none = ask();
  await over(none);
  expect(none).toMatchObject([
    { kind: 'overloaded', message: expect.stringMatching(/^No worker that could serve/), unserved: true },
  ]);
  const server = await startWorker(1);
  ask(60_000);
  await vi.waitFor(() => expect(server.load).toBe(1));
  const busy = ask();
  await over(busy);
  expect(busy).toMatchObject([
    { kind: 'overloaded', message: expect.stringMatching(/^No worker had free capacity within 5 s/) },
  ]);
  expect(busy[0]).not.toHaveProperty('unserved');
  server.close();
});
