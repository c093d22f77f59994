import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { Timer } from '@model-gateway/clock';
import type { Msg, Subscription } from 'nats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decodeMessage, encodeMessage, FrameKind, noBytes, protocolVersion, writeHead } from './frame.ts';
import { type Bus, Caller } from './index.ts';
import { heartbeatMs, lostMs, silentMs } from './liveness.ts';
import { callSubject, heartbeatSubject, workerSubject } from './subjects.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

const id = 'default.w1';
let nats: NatsServer;
let time: PassingTime;
let bus: Bus;
let caller: Caller;
let worker: Awaited<ReturnType<typeof startWorker>>;
beforeEach(async () => {
  nats = await startNats();
  time = new PassingTime();
  bus = await time.connect(nats.url);
  worker = await startWorker();
  caller = await Caller.open(bus);
});
afterEach(async () => {
  worker.close();
  caller.close();
  await time.close();
  await nats.stop();
});

/**
 * A worker that accepts every call and ends none. It can be made unreachable, as by a lost cluster route, and silent, as by a pause in
 * which its connection stays open.
 */
async function startWorker() {
  const connection = bus.calls;
  let subscription: Subscription | undefined;
  let heartbeats: Timer | undefined;
  /** Numbers of the calls whose openings were read. */
  const opened: number[] = [];
  let reply = '';
  let frames = 0;
  const heartbeat = () =>
    connection.publish(
      heartbeatSubject(id),
      JSON.stringify({ load: 0, capacity: 9, version: protocolVersion }),
    );
  const fallSilent = () => bus.clock.clearInterval(heartbeats);
  const cut = () => {
    subscription?.unsubscribe();
    fallSilent();
  };
  const callback = (_error: unknown, message: Msg) => {
    const [frame] = decodeMessage(message.data);
    if (frame?.kind !== FrameKind.open) return;
    const { call } = frame;
    opened.push(call);
    reply = (message.reply as string).replace(/\.\d+$/, '');
    const accept = { kind: FrameKind.accept, flags: 0, call, seq: 0, bytes: noBytes };
    connection.publish(reply, encodeMessage([{ ...accept, head: writeHead({ worker: id }) }]));
  };
  const join = async () => {
    subscription = connection.subscribe(workerSubject(id), { callback });
    heartbeat();
    heartbeats = bus.clock.setInterval(heartbeat, heartbeatMs);
    await connection.flush();
  };
  /** Sends a part of the answer to the first call. */
  const answer = () => {
    const [call = 0] = opened;
    const part = { kind: FrameKind.verbatim, flags: 0, call, seq: ++frames, head: noBytes };
    connection.publish(reply, encodeMessage([{ ...part, bytes: Buffer.from('x') }]));
  };
  const calls = connection.subscribe(callSubject('default'), { callback });
  await join();
  const close = () => {
    cut();
    calls.unsubscribe();
  };
  return { opened, cut, join, fallSilent, answer, close };
}

/** Starts a call at the worker; its events are those that its client gets. */
async function serving() {
  const events: GenerateEvent[] = [];
  const envelope = testEnvelope({ operation: 'transcribe' });
  async function* body() {
    yield Buffer.from('read once: no other can take over');
  }
  const onEvents = (more: GenerateEvent[]) => void events.push(...more);
  const call = caller.call({ pool: 'default', envelope, body: body(), queueMs: 20_000, onEvents });
  await time.arrive();
  expect(call.worker).toBe(id);
  return { call, events };
}

test('a worker that is unreachable for a moment keeps its calls', async () => {
  const { call, events } = await serving();
  await time.pass(heartbeatMs - 50);
  worker.cut();
  // The caller probes the worker at once, and gets "no responders".
  await time.pass(heartbeatMs + 200);
  await worker.join();
  await time.pass(lostMs);
  expect([call.done, events]).toEqual([false, []]);
});

test('a worker that stays unreachable is lost before its heartbeats are overdue', async () => {
  const { call, events } = await serving();
  worker.cut();
  expect(await time.until(() => call.done)).toBeLessThanOrEqual(3_000);
  expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
});

test('a worker that is silent gets no new call after 3 s, and keeps the one that it has until it is lost after 20 s', async () => {
  const { call, events } = await serving();
  worker.fallSilent();
  // The frame that accepted the call is noticed with the next heartbeat of the caller.
  await time.pass(heartbeatMs + silentMs);
  const envelope = testEnvelope({ operation: 'transcribe' });
  const waiting = caller.call({
    ...{ pool: 'default', envelope, body: noBytes, queueMs: 60_000 },
    onEvents() {},
  });
  await time.pass(15_000 - heartbeatMs - silentMs);
  expect([call.done, events, worker.opened.length]).toEqual([false, [], 1]);
  await time.pass(lostMs - 15_000 + heartbeatMs);
  expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  expect([waiting.worker, worker.opened.length]).toEqual([undefined, 1]);
  worker.cut();
  await worker.join();
  await time.until(() => waiting.worker === id);
});

test('a worker whose heartbeats do not come lives while it answers', async () => {
  const { call } = await serving();
  worker.fallSilent();
  for (let i = 0; i < 30; i++) {
    worker.answer();
    await time.pass(heartbeatMs);
  }
  expect([call.done, caller.problem]).toEqual([false, undefined]);
  await time.pass(15_000);
  expect([call.done, caller.problem]).toEqual([false, 'no worker sends heartbeats']);
  expect(await time.until(() => call.done)).toBeLessThanOrEqual(lostMs - 15_000 + heartbeatMs);
});

test('a caller that stood still itself loses no worker by that', async () => {
  const { call } = await serving();
  time.clock.jump(60_000);
  await time.pass(5_000);
  expect([call.done, caller.problem]).toEqual([false, undefined]);
});
