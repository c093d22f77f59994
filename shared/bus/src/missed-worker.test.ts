import { setTimeout as sleep } from 'node:timers/promises';
import type { Envelope, GenerateEvent } from '@model-gateway/canonical';
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

/** A worker that accepts every call and answers none. To the caller's server it can be cut off, as by a lost route. */
async function startWorker() {
  const connection = bus.calls;
  let heard: Subscription | undefined;
  let beats: NodeJS.Timeout | undefined;
  const beat = () =>
    connection.publish(
      heartbeatSubject(id),
      JSON.stringify({ load: 0, capacity: 9, version: protocolVersion }),
    );
  const cut = () => {
    heard?.unsubscribe();
    clearInterval(beats);
  };
  const join = async () => {
    heard = connection.subscribe(workerSubject(id));
    beat();
    beats = setInterval(beat, heartbeatMs);
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

/** A call that the worker serves, and when it was told that it was lost. */
async function serving() {
  const lost = Promise.withResolvers<number>();
  const envelope: Envelope = {
    requestId: 'req_1',
    operation: 'transcribe',
    format: 'chat',
    model: 'm',
    stream: true,
    textLength: 0,
    targets: [],
    token: { id: 't', project: 'p' },
    headers: {},
  };
  async function* body() {
    yield Buffer.from('read once: no other can take over');
  }
  const onEvents = ([event]: GenerateEvent[]) =>
    void (event?.type === 'error' && lost.resolve(performance.now()));
  const call = caller.call({ pool: 'default', envelope, body: body(), queueMs: 1_000, onEvents });
  while (!call.worker) await sleep(10);
  return { call, lost: lost.promise };
}

test('a worker that nobody can reach for a moment lives, and its calls with it', async () => {
  const { call, lost } = await serving();
  // By then the caller has asked for it, and heard that nobody listens.
  worker.cut();
  await sleep(heartbeatMs + 200);
  await worker.join();
  const told = await Promise.race([lost, sleep(lostMs)]);
  expect(told).toBeUndefined();
  expect(call.done).toBe(false);
}, 15_000);

test('one that stays away is lost before it would be missed by its beats', async () => {
  const { lost } = await serving();
  const at = performance.now();
  worker.cut();
  expect((await lost) - at).toBeLessThan(lostMs);
}, 15_000);
