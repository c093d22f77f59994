import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { headers, type Msg } from 'nats';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { protocolVersion } from './frame.ts';
import { type Bus, Caller } from './index.ts';
import { heartbeatMs } from './liveness.ts';
import { busyHeader } from './protocol.ts';
import { callSubject, heartbeatSubject, workerQueue, workerSubject } from './subjects.ts';
import { startWorker } from './testing/local-worker.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

const finish = { type: 'finish', reason: 'stop', raw: 'stop', usage: null } as const;
const next = protocolVersion + 1;
let nats: NatsServer;
let time: PassingTime;
let bus: Bus;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());
beforeEach(async () => {
  time = new PassingTime();
  bus = await time.connect(nats.url);
});
afterEach(() => time.close());

const start = () => startWorker(time, nats.url, call => void call.send([finish]), 10);

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
  time.clock.setInterval(heartbeat, heartbeatMs);
  heartbeat();
  bus.calls.subscribe(workerSubject(name), { callback });
  bus.calls.subscribe(callSubject('default'), { queue: workerQueue, callback });
  return seen;
}

/** Makes a call, lets time pass until it is over, and returns its last event. */
async function answerOf(caller: Caller): Promise<GenerateEvent | undefined> {
  const events: GenerateEvent[] = [];
  const onEvents = (more: GenerateEvent[]) => void events.push(...more);
  const envelope = testEnvelope({ textLength: 2 });
  const call = caller.call({
    ...{ pool: 'default', envelope, body: Buffer.from('{}'), queueMs: 5_000 },
    onEvents,
  });
  await time.until(() => call.done);
  return events.at(-1);
}

test('a worker answers an opening of an unknown version with busy and its name', async () => {
  const worker = await start();
  const reply = 'gateway.v1.reply.default.test.next.7';
  const answers: Msg[] = [];
  bus.calls.subscribe(reply, { callback: (_, message) => void answers.push(message) });
  bus.calls.publish(callSubject('default'), Buffer.from([next, 1, 2, 3]), { reply });
  await time.arrive();
  // A caller of any version reads this status as the server's "no responders".
  expect(
    answers.map(({ data, headers: given }) => [data.length, given?.code, given?.get(busyHeader)]),
  ).toEqual([[0, 503, expect.stringMatching(/^default\.[0-9a-f]{24}$/)]]);
  expect(worker.calls).toEqual([]);
});

test('a caller uses the workers of its own version, whichever worker of a pool gets the first opening', async () => {
  const newer = startNewerWorker();
  const worker = await start();
  const caller = await Caller.open(bus);
  for (let i = 0; i < 40; i++) expect(await answerOf(caller)).toMatchObject({ type: 'finish' });
  expect(worker.calls).toHaveLength(40);
  expect(newer.openings).toBeGreaterThan(0);
});

test('a caller with only workers of another version has no worker', async () => {
  startNewerWorker();
  const caller = await Caller.open(bus);
  expect(await answerOf(caller)).toMatchObject({ type: 'error', kind: 'overloaded' });
  expect(caller.problem).toBe('no worker sends heartbeats');
});
