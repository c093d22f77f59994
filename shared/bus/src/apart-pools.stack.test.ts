import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { headers } from 'nats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Caller } from './caller.ts';
import type { Bus } from './connection.ts';
import {
  decodeMessage,
  encodeMessage,
  type Frame,
  FrameFlag,
  FrameKind,
  noBytes,
  writeHead,
} from './frame.ts';
import { busyHeader } from './protocol.ts';
import type { ServedCall } from './served-call.ts';
import { type LocalWorker, startWorker } from './testing/local-worker.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

let nats: NatsServer;
let time: PassingTime;
let caller: Caller;
let worker: LocalWorker;
let served: ServedCall[];
/** A connection that may publish everything, as a worker of another pool if NATS had no permissions. */
let intruder: Bus;
/** The subject and the id by which the last call is answered. */
let answered: { reply: string; call: number };
beforeEach(async () => {
  nats = await startNats();
  time = new PassingTime();
  served = [];
  worker = await startWorker(time, nats.url, call => void served.push(call));
  caller = await Caller.open(await time.connect(nats.url, 'caller'));
  intruder = await time.connect(nats.url, 'intruder');
  const callback = (_: unknown, { data, reply = '' }: { data: Uint8Array; reply?: string }) => {
    for (const { kind, call } of decodeMessage(data)) if (kind === FrameKind.open) answered = { reply, call };
  };
  for (const subject of ['gateway.v1.call.*', 'gateway.v1.worker.>'])
    intruder.calls.subscribe(subject, { callback });
  // The caller knows the worker by its heartbeat.
  await time.pass(1_000);
});
afterEach(async () => {
  caller.close();
  worker.server.close();
  await time.close();
  await nats.stop();
});

/** Opens a call to the pool `default`. */
async function begin() {
  const events: GenerateEvent[] = [];
  const call = caller.call({
    ...{ pool: 'default', envelope: testEnvelope({ textLength: 2 }), body: Buffer.from('{}') },
    queueMs: 5_000,
    onEvents: more => void events.push(...more),
  });
  // A worker that accepts waits a moment for further frames.
  await time.pass(50);
  return { call, events };
}

const finish = { type: 'finish', reason: 'stop', raw: 'stop', usage: null } as const;
const frame = (kind: Frame['kind'], seq: number, head: unknown, flags = 0): Frame => ({
  ...{ kind, flags, call: answered.call, seq, bytes: noBytes },
  head: head === undefined ? noBytes : writeHead(head),
});

/** Sends frames in answer to the last call: as a worker of a pool that NATS lets write there. */
async function answer(pool: string, ...frames: Frame[]): Promise<void> {
  const subject = answered.reply.replace('.reply.default.', `.reply.${pool}.`).replace(/\.\d+$/, '');
  expect(subject).toMatch(new RegExp(`^gateway\\.v1\\.reply\\.${pool}\\.`));
  intruder.calls.publish(subject, encodeMessage(frames));
  await time.arrive();
}

test('a caller takes the frames of a call from the workers of its pool alone', async () => {
  const { call, events } = await begin();
  const { worker: serving } = call;
  expect(serving).toMatch(/^default\./);
  await answer('other', frame(FrameKind.events, 1, [{ type: 'start', id: 'forged', model: 'm' }]));
  await answer('other', frame(FrameKind.lost, 0, undefined));
  await answer('other', frame(FrameKind.events, 1, [finish], FrameFlag.last));
  await answer('other', frame(FrameKind.busy, 0, { worker: 'other.a' }));
  expect([call.done, call.worker, events]).toEqual([false, serving, []]);
  served[0]?.send([{ type: 'start', id: 'true', model: 'm' }, finish]);
  await time.arrive();
  expect(events).toEqual([{ type: 'start', id: 'true', model: 'm' }, finish]);
});

test('another pool cannot accept a call, nor a worker in the name of another pool', async () => {
  await worker.kill();
  // Nobody answers the opening.
  const { call, events } = await begin();
  await answer('other', frame(FrameKind.accept, 0, { worker: 'other.a' }));
  expect([call.accepted, call.done]).toEqual([false, false]);
  await answer('default', frame(FrameKind.accept, 0, { worker: 'other.a' }));
  expect([call.accepted, call.done]).toEqual([false, true]);
  expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
});

test('another pool cannot report a worker, or its opening, as gone', async () => {
  const { call } = await begin();
  const { worker: serving } = call;
  const gone = headers(503, 'No Responders');
  const ofPool = answered.reply.replace('.reply.default.', '.reply.other.').replace(/\.\d+$/, '');
  const busy = headers(503, 'Busy');
  busy.set(busyHeader, String(serving));
  for (let seconds = 0; seconds < 3; seconds++) {
    intruder.calls.publish(`${ofPool}.worker.${serving}`, '', { headers: gone });
    intruder.calls.publish(`${ofPool}.${answered.call}`, '', { headers: gone });
    intruder.calls.publish(`${ofPool}.${answered.call}`, '', { headers: busy });
    await time.pass(1_000);
  }
  expect([call.done, call.worker]).toEqual([false, serving]);
  // The worker is not taken for full either.
  const next = await begin();
  expect(next.call.worker).toBe(serving);
});
