import type { Envelope, GenerateEvent } from '@model-gateway/canonical';
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

/** A worker of the next version, as it answers what it cannot read. */
function startNewerWorker(): { asked: number } {
  const name = 'default.newer';
  const seen = { asked: 0 };
  const callback = (_: unknown, { data, reply }: Msg) => {
    if (data.length === 0) return;
    seen.asked++;
    const busy = headers(503, 'Busy');
    busy.set(busyHeader, name);
    bus.calls.publish(reply as string, '', { headers: busy });
  };
  const beat = () =>
    bus.calls.publish(heartbeatSubject(name), JSON.stringify({ load: 0, capacity: 1_000, version: next }));
  const timer = setInterval(beat, heartbeatMs / 4);
  beat();
  const heard = [
    bus.calls.subscribe(workerSubject(name), { callback }),
    bus.calls.subscribe(callSubject('default'), { queue: workerQueue, callback }),
  ];
  closing.push(() => {
    clearInterval(timer);
    for (const subscription of heard) subscription.unsubscribe();
  });
  return seen;
}

function ask(caller: Caller): Promise<GenerateEvent> {
  const envelope: Envelope = {
    requestId: 'req_1',
    operation: 'generate',
    format: 'chat',
    model: 'm',
    stream: true,
    textLength: 2,
    targets: [],
    token: { id: 't', project: 'p' },
    headers: {},
  };
  return new Promise(resolve => {
    const onEvents = (events: GenerateEvent[]) => resolve(events.at(-1) as GenerateEvent);
    caller.call({ pool: 'default', envelope, body: Buffer.from('{}'), queueMs: 5_000, onEvents });
  });
}

test('a worker answers an opening of a version that it does not know with busy, and names itself', async () => {
  const seen = await startWorker();
  const opening = Buffer.from([next, 1, 2, 3]);
  const answer = await bus.calls
    .request(callSubject('default'), opening, { timeout: 2_000 })
    .catch(error => error);
  // The client of NATS takes this status for the server's word that nobody listens, as a caller of any version does.
  expect(String(answer)).toMatch(/no responders/i);
  const inbox = bus.calls.subscribe('gateway.v1.reply.test.next.7', { max: 1 });
  bus.calls.publish(callSubject('default'), opening, { reply: 'gateway.v1.reply.test.next.7' });
  for await (const { data, headers: given } of inbox) {
    expect([data.length, given?.code]).toEqual([0, 503]);
    expect(given?.get(busyHeader)).toMatch(/^default\.[0-9a-f]{24}$/);
  }
  expect(seen.served).toBe(0);
});

test('a caller asks the workers of its own version, whichever of a pool is asked first', async () => {
  const newer = startNewerWorker();
  const worker = await startWorker();
  const caller = await Caller.open(bus);
  closing.push(() => caller.close());
  await expect.poll(() => caller.problem, { timeout: 5_000 }).toBeUndefined();
  for (let i = 0; i < 40; i++) expect(await ask(caller)).toMatchObject({ type: 'finish' });
  expect(worker.served).toBe(40);
  expect(newer.asked).toBeGreaterThan(0);
});

test('workers of another version alone are no workers to a caller', async () => {
  startNewerWorker();
  const caller = await Caller.open(bus);
  closing.push(() => caller.close());
  expect(await ask(caller)).toMatchObject({ type: 'error', kind: 'overloaded' });
  expect(caller.problem).toBe('no worker is heard');
}, 15_000);
