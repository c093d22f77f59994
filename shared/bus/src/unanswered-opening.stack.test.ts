import { setTimeout as sleep } from 'node:timers/promises';
import type { GenerateEvent, Route } from '@model-gateway/canonical';
import { testEnvelope, testRoute } from '@model-gateway/canonical/testing/envelope';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  decodeMessage,
  encodeMessage,
  type Frame,
  FrameKind,
  noBytes,
  protocolVersion,
  readHead,
  writeHead,
} from './frame.ts';
import { type Bus, Caller, connectBus } from './index.ts';
import { acceptMs, heartbeatMs, lostMs, type OpenHead } from './protocol.ts';
import { callSubject, heartbeatSubject, workerQueue, workerSubject } from './subjects.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

let nats: NatsServer;
let bus: Bus;
let caller: Caller;
const workers: { die(): void; openings(): number }[] = [];
beforeEach(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: 'test' });
  caller = await Caller.open(bus);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) worker.die();
  caller.close();
  await bus.close();
  await nats.stop();
});

interface OpenedWorker {
  id: string;
  head: OpenHead;
  die(): void;
  answer(kind: Frame['kind']): void;
}

type OnOpening = (worker: OpenedWorker) => void;

/** Starts a worker that sends heartbeats and handles each opening by `onOpening`. */
function startWorker(id: string, onOpening: OnOpening) {
  const connection = bus.calls;
  const heartbeat = () =>
    connection.publish(
      heartbeatSubject(id),
      JSON.stringify({ load: 0, capacity: 9, version: protocolVersion }),
    );
  const timer = setInterval(heartbeat, heartbeatMs / 4);
  let openings = 0;
  const callback = (_: unknown, { data, reply }: { data: Uint8Array; reply?: string }) => {
    const [opening] = decodeMessage(data);
    if (opening?.kind !== FrameKind.open) return;
    const { call } = opening;
    openings++;
    const answer = (kind: Frame['kind']) => {
      const frame = { kind, flags: 0, call, seq: 0, head: writeHead({ worker: id }), bytes: noBytes };
      connection.publish((reply as string).replace(/\.\d+$/, ''), encodeMessage([frame]));
    };
    onOpening({ id, head: readHead(opening), die, answer });
  };
  const subscriptions = [
    connection.subscribe(workerSubject(id), { callback }),
    connection.subscribe(callSubject('default'), { queue: workerQueue, callback }),
  ];
  const die = () => {
    clearInterval(timer);
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
  heartbeat();
  workers.push({ die, openings: () => openings });
  return workers.at(-1) as (typeof workers)[number];
}

function ask(queueMs = 10_000, route?: Route) {
  const ended = Promise.withResolvers<GenerateEvent>();
  const envelope = testEnvelope({ textLength: 2, ...(route && { route }) });
  const onEvents = ([event]: GenerateEvent[]) => event?.type === 'error' && ended.resolve(event);
  const body = Buffer.from('{}');
  const call = caller.call({ pool: 'default', envelope, body, queueMs, onEvents });
  return { call, ended: ended.promise };
}

test('a request that kills workers before they accept it kills two and is not sent to a third', async () => {
  const poisoned = [1, 2, 3].map(i => startWorker(`default.w${i}`, ({ die }) => die()));
  await bus.calls.flush();
  const { call, ended } = ask();
  expect(await ended).toMatchObject({ kind: 'upstream', message: expect.stringMatching(/worker was lost/) });
  expect(call.losses).toBe(2);
  expect(poisoned.reduce((sum, worker) => sum + worker.openings(), 0)).toBe(2);
});

test('an attempt of a worker that was lost before it could accept is reported', async () => {
  const lost: string[] = [];
  caller.onLost = ({ attempts }) => void lost.push(...attempts.map(({ id }) => id));
  const opened: string[] = [];
  const onOpening: OnOpening = ({ die, head }) => {
    opened.push(head.attempt as string);
    die();
  };
  for (const id of ['default.w1', 'default.w2']) startWorker(id, onOpening);
  await bus.calls.flush();
  const { ended } = ask(10_000, testRoute());
  await ended;
  expect(opened).toHaveLength(2);
  expect(new Set(lost)).toEqual(new Set(opened));
});

test('a live worker that was too busy to read an opening in time gets the call again', {
  retry: 2,
}, async () => {
  let read = 0;
  startWorker('default.w1', ({ answer }) => {
    if (++read > 2) answer(FrameKind.accept);
  });
  await bus.calls.flush();
  const { call } = ask(30_000);
  await expect.poll(() => call.worker).toBe('default.w1');
  expect(read).toBeGreaterThanOrEqual(3);
  expect(call.losses).toBe(0);
});

test('a worker that shut down cleanly while an opening was in flight is not counted as lost', async () => {
  const worker = startWorker('default.w1', ({ die }) => {
    bus.calls.publish(
      heartbeatSubject('default.w1'),
      JSON.stringify({ load: 0, capacity: 0, version: protocolVersion }),
    );
    die();
  });
  await bus.calls.flush();
  const { call } = ask(30_000);
  await sleep(acceptMs + lostMs);
  expect([worker.openings(), call.losses, call.done]).toEqual([1, 0, false]);
  startWorker('default.w2', ({ answer }) => answer(FrameKind.accept));
  await expect.poll(() => call.worker).toBe('default.w2');
});
