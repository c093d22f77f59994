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
import { type Bus, Caller } from './index.ts';
import { heartbeatMs, silentMs } from './liveness.ts';
import { acceptMs, type OpenHead } from './protocol.ts';
import { callSubject, heartbeatSubject, workerQueue, workerSubject } from './subjects.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

let nats: NatsServer;
let time: PassingTime;
let bus: Bus;
let caller: Caller;
const workers: { die(): void; openings(): number }[] = [];
beforeEach(async () => {
  nats = await startNats();
  time = new PassingTime();
  bus = await time.connect(nats.url);
  caller = await Caller.open(bus);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) worker.die();
  caller.close();
  await time.close();
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
  const timer = bus.clock.setInterval(heartbeat, heartbeatMs);
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
    bus.clock.clearInterval(timer);
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
  heartbeat();
  workers.push({ die, openings: () => openings });
  return workers.at(-1) as (typeof workers)[number];
}

function ask(queueMs = 10_000, route?: Route) {
  const events: GenerateEvent[] = [];
  const envelope = testEnvelope({ textLength: 2, ...(route && { route }) });
  const onEvents = (more: GenerateEvent[]) => void events.push(...more);
  const body = Buffer.from('{}');
  const call = caller.call({ pool: 'default', envelope, body, queueMs, onEvents });
  return { call, events };
}

test('a request that kills workers before they accept it kills two, whose attempts are reported, and is not sent to a third', async () => {
  const lost: string[] = [];
  caller.onLost = ({ attempts }) => void lost.push(...attempts.map(({ id }) => id));
  const opened: (string | undefined)[] = [];
  const onOpening: OnOpening = ({ die, head }) => {
    opened.push(head.attempt);
    die();
  };
  for (const i of [1, 2, 3]) startWorker(`default.w${i}`, onOpening);
  await time.arrive();
  const { call, events } = ask(10_000, testRoute());
  await time.until(() => call.done);
  expect(events).toMatchObject([
    { kind: 'upstream', message: expect.stringMatching(/worker was lost/), lostWorkers: true },
  ]);
  expect(call.losses).toBe(2);
  expect(opened).toHaveLength(2);
  expect(lost).toEqual(opened);
});

test('a live worker that was too busy to read an opening in time gets the call again', async () => {
  let read = 0;
  startWorker('default.w1', ({ answer }) => {
    if (++read > 2) answer(FrameKind.accept);
  });
  await time.arrive();
  const { call } = ask(30_000);
  await time.until(() => call.worker === 'default.w1');
  expect([read, call.losses]).toEqual([3, 0]);
});

test('a worker that shut down cleanly while an opening was in flight is not counted as lost', async () => {
  const worker = startWorker('default.w1', ({ die }) => {
    bus.calls.publish(
      heartbeatSubject('default.w1'),
      JSON.stringify({ load: 0, capacity: 0, version: protocolVersion }),
    );
    die();
  });
  await time.arrive();
  const { call } = ask(30_000);
  await time.pass(acceptMs + silentMs);
  expect([worker.openings(), call.losses, call.done]).toEqual([1, 0, false]);
  startWorker('default.w2', ({ answer }) => answer(FrameKind.accept));
  await time.until(() => call.worker === 'default.w2');
});
