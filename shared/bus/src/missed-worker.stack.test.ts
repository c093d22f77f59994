import { setTimeout as sleep } from 'node:timers/promises';
import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { Subscription } from 'nats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decodeMessage, encodeMessage, FrameKind, noBytes, protocolVersion, writeHead } from './frame.ts';
import { type Bus, Caller, connectBus } from './index.ts';
import { heartbeatMs, lostMs } from './protocol.ts';
import { callSubject, heartbeatSubject, workerSubject } from './subjects.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

const id = 'default.w1';
let nats: NatsServer;
let bus: Bus;
let caller: Caller;
let worker: Awaited<ReturnType<typeof startWorker>>;
beforeEach(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: 'test' });
  worker = await startWorker();
  caller = await Caller.open(bus);
});
afterEach(async () => {
  worker.close();
  caller.close();
  await bus.close();
  await nats.stop();
});

/** A worker that accepts every call and answers none. It can be made unreachable, as by a lost cluster route. */
async function startWorker() {
  const connection = bus.calls;
  let subscription: Subscription | undefined;
  let heartbeats: NodeJS.Timeout | undefined;
  const heartbeat = () =>
    connection.publish(
      heartbeatSubject(id),
      JSON.stringify({ load: 0, capacity: 9, version: protocolVersion }),
    );
  const cut = () => {
    subscription?.unsubscribe();
    clearInterval(heartbeats);
  };
  const join = async () => {
    subscription = connection.subscribe(workerSubject(id));
    heartbeat();
    heartbeats = setInterval(heartbeat, heartbeatMs);
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

/** Starts a call at the worker; `lost` holds the time of its failure. */
async function serving() {
  const lost = Promise.withResolvers<number>();
  const envelope = testEnvelope({ operation: 'transcribe' });
  async function* body() {
    yield Buffer.from('read once: no other can take over');
  }
  const onEvents = ([event]: GenerateEvent[]) =>
    void (event?.type === 'error' && lost.resolve(performance.now()));
  const call = caller.call({ pool: 'default', envelope, body: body(), queueMs: 20_000, onEvents });
  while (!call.worker) await sleep(10);
  return { call, lost: lost.promise };
}

test('a worker that is unreachable for a moment keeps its calls', { retry: 3 }, async () => {
  const { call, lost } = await serving();
  // By then the caller has probed the worker and got "no responders".
  worker.cut();
  await sleep(heartbeatMs + 200);
  await worker.join();
  const lostAt = await Promise.race([lost, sleep(lostMs)]);
  expect(lostAt).toBeUndefined();
  expect(call.done).toBe(false);
});

test('a worker that stays unreachable is lost before its heartbeats are overdue', { retry: 3 }, async () => {
  const { lost } = await serving();
  const at = performance.now();
  worker.cut();
  expect((await lost) - at).toBeLessThan(lostMs);
});
