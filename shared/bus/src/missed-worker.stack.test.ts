import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { Timer } from '@model-gateway/clock';
import type { Subscription } from 'nats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decodeMessage, encodeMessage, FrameKind, noBytes, protocolVersion, writeHead } from './frame.ts';
import { type Bus, Caller } from './index.ts';
import { heartbeatMs, lostMs } from './protocol.ts';
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

/** A worker that accepts every call and answers none. It can be made unreachable, as by a lost cluster route. */
async function startWorker() {
  const connection = bus.calls;
  let subscription: Subscription | undefined;
  let heartbeats: Timer | undefined;
  const heartbeat = () =>
    connection.publish(
      heartbeatSubject(id),
      JSON.stringify({ load: 0, capacity: 9, version: protocolVersion }),
    );
  const cut = () => {
    subscription?.unsubscribe();
    bus.clock.clearInterval(heartbeats);
  };
  const join = async () => {
    subscription = connection.subscribe(workerSubject(id));
    heartbeat();
    heartbeats = bus.clock.setInterval(heartbeat, heartbeatMs);
    await connection.flush();
  };
  const calls = connection.subscribe(callSubject('default'), {
    callback: (_error, { data, reply }) => {
      const [{ call = 0 } = {}] = decodeMessage(data);
      const accept = { kind: FrameKind.accept, flags: 0, call, seq: 0, bytes: noBytes };
      const frame = encodeMessage([{ ...accept, head: writeHead({ worker: id }) }]);
      connection.publish((reply as string).replace(/\.\d+$/, ''), frame);
    },
  });
  await join();
  const close = () => {
    cut();
    calls.unsubscribe();
  };
  return { cut, join, close };
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
  expect(await time.until(() => call.done)).toBeLessThan(lostMs);
  expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
});
