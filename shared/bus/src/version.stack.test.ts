import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { headers, type Msg } from 'nats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { protocolVersion } from './frame.ts';
import { type Bus, Caller, connectBus, Server } from './index.ts';
import { busyHeader, heartbeatMs } from './protocol.ts';
import { callSubject, heartbeatSubject, workerQueue, workerSubject } from './subjects.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

const finish = { type: 'finish', reason: 'stop', raw: 'stop', usage: null } as const;
const next = protocolVersion + 1;
let nats: NatsServer;
let bus: Bus;
const closing: (() => void)[] = [];
beforeEach(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: 'test' });
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await bus.close();
  await nats.stop();
});

async function startWorker(): Promise<{ served: number }> {
  const seen = { served: 0 };
  const serve = (call: { send(events: GenerateEvent[]): void }) => {
    seen.served++;
    call.send([finish]);
  };
  const server = await Server.open(bus, { pool: 'default', capacity: 10, serve });
  closing.push(() => server.close());
  return seen;
}

/** A worker of the next version, which answers busy to openings of this one. */
function startNewerWorker(): { openings: number } {
  const name = 'default.newer';
  const seen = { openings: 0 };
  const callback = (_: unknown, { data, reply }: Msg) => {
    if (data.length === 0) return;
    seen.openings++;
    const busy = headers(503, 'Busy');
    busy.set(busyHeader, name);
    bus.calls.publish(reply as string, '', { headers: busy });
  };
  const heartbeat = () =>
    bus.calls.publish(heartbeatSubject(name), JSON.stringify({ load: 0, capacity: 1_000, version: next }));
  const timer = setInterval(heartbeat, heartbeatMs / 4);
  heartbeat();
  const subscriptions = [
    bus.calls.subscribe(workerSubject(name), { callback }),
    bus.calls.subscribe(callSubject('default'), { queue: workerQueue, callback }),
  ];
  closing.push(() => {
    clearInterval(timer);
    for (const subscription of subscriptions) subscription.unsubscribe();
  });
  return seen;
}

function ask(caller: Caller): Promise<GenerateEvent> {
  const envelope = testEnvelope({ textLength: 2 });
  return new Promise(resolve => {
    const onEvents = (events: GenerateEvent[]) => resolve(events.at(-1) as GenerateEvent);
    caller.call({ pool: 'default', envelope, body: Buffer.from('{}'), queueMs: 5_000, onEvents });
  });
}

test('a worker answers an opening of an unknown version with busy and its name', async () => {
  const seen = await startWorker();
  const opening = Buffer.from([next, 1, 2, 3]);
  const answer = await bus.calls
    .request(callSubject('default'), opening, { timeout: 60_000 })
    .catch(error => error);
  // The NATS client treats this status as the server's "no responders", as a caller of any version does.
  expect(String(answer)).toMatch(/no responders/i);
  const inbox = bus.calls.subscribe('gateway.v1.reply.test.next.7', { max: 1 });
  bus.calls.publish(callSubject('default'), opening, { reply: 'gateway.v1.reply.test.next.7' });
  for await (const { data, headers: given } of inbox) {
    expect([data.length, given?.code]).toEqual([0, 503]);
    expect(given?.get(busyHeader)).toMatch(/^default\.[0-9a-f]{24}$/);
  }
  expect(seen.served).toBe(0);
});

test('a caller uses the workers of its own version, whichever worker of a pool gets the first opening', async () => {
  const newer = startNewerWorker();
  const worker = await startWorker();
  const caller = await Caller.open(bus);
  closing.push(() => caller.close());
  await expect.poll(() => caller.problem).toBeUndefined();
  for (let i = 0; i < 40; i++) expect(await ask(caller)).toMatchObject({ type: 'finish' });
  // A call that the worker accepted late is opened at it once more.
  expect(worker.served).toBeGreaterThanOrEqual(40);
  expect(newer.openings).toBeGreaterThan(0);
});

test('a caller with only workers of another version has no worker', async () => {
  startNewerWorker();
  const caller = await Caller.open(bus);
  closing.push(() => caller.close());
  expect(await ask(caller)).toMatchObject({ type: 'error', kind: 'overloaded' });
  expect(caller.problem).toBe('no worker sends heartbeats');
});
