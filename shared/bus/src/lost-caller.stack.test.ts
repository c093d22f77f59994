import { type Envelope, isGivenUp } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { Subscription } from 'nats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeMessage, type Frame, FrameFlag, FrameKind, noBytes, writeCount, writeHead } from './frame.ts';
import type { Bus } from './index.ts';
import { lostMs } from './liveness.ts';
import { acceptMs, answerWindow, type OpenHead } from './protocol.ts';
import { replySubject, workerSubject } from './subjects.ts';
import { type LocalWorker, startWorker } from './testing/local-worker.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

const reply = replySubject('default', 'test', 'caller');
let nats: NatsServer;
let time: PassingTime;
let caller: Bus;
let worker: LocalWorker;
let subscription: Subscription;
beforeEach(async () => {
  nats = await startNats();
  time = new PassingTime();
  caller = await time.connect(nats.url);
  worker = await startWorker(time, nats.url, () => {});
  subscription = listen();
  await open();
});
afterEach(async () => {
  worker.server.close();
  await time.close();
  await nats.stop();
});

const listen = () => caller.calls.subscribe(reply, { callback() {} });

function send(frame: Pick<Frame, 'kind' | 'seq'> & Partial<Frame>): void {
  const message = encodeMessage([
    { flags: FrameFlag.none, call: 1, head: noBytes, bytes: noBytes, ...frame },
  ]);
  const suffix = frame.kind === FrameKind.open ? `.${frame.call ?? 1}` : '';
  caller.calls.publish(workerSubject(worker.server.name), message, { reply: reply + suffix });
}

/** Opens a call of a caller that sends no heartbeats. */
async function open(fields: Partial<Envelope> = {}, number = 1): Promise<void> {
  const head: OpenHead = {
    envelope: testEnvelope(fields),
    acceptBy: time.clock.now() + acceptMs,
    window: answerWindow,
    bodyToCome: 0,
  };
  send({ kind: FrameKind.open, seq: 0, head: writeHead(head), bytes: Buffer.from('{}'), call: number });
  await time.arrive();
  expect(isServed(number)).toBe(true);
}

const isServed = (number = 1) => worker.calls[number - 1]?.signal.aborted === false;

test('a caller that is silent keeps its calls, until it is lost after 20 s', async () => {
  await time.pass(19_500);
  expect(isServed()).toBe(true);
  expect(await time.until(() => !isServed())).toBeLessThanOrEqual(1_000);
});

test('any frame of a caller is a sign of its life', async () => {
  await time.pass(15_000);
  send({ kind: FrameKind.credit, seq: 1, bytes: writeCount(1) });
  await time.pass(15_000);
  expect(isServed()).toBe(true);
});

test('a caller whose connection is closed is lost within 3 s', async () => {
  await caller.calls.close();
  expect(await time.until(() => !isServed())).toBeLessThanOrEqual(3_000);
});

test('a caller that is not reached for a moment keeps its calls', async () => {
  await time.pass(900);
  subscription.unsubscribe();
  await time.pass(1_000);
  listen();
  send({ kind: FrameKind.credit, seq: 1, bytes: writeCount(1) });
  await time.pass(lostMs - 1_000);
  expect(isServed()).toBe(true);
});

test('a worker that stood still itself loses no caller by that', async () => {
  time.clock.jump(60_000);
  await time.pass(5_000);
  expect(isServed()).toBe(true);
});

test('what a lost caller had asked for is given up if nothing was sent or it is made again, else left', async () => {
  await open({}, 2);
  await open({ repeats: true }, 3);
  for (const call of worker.calls.slice(1)) call.send([{ type: 'part-delta', index: 0, text: 'Hi' }]);
  await caller.calls.close();
  await time.until(() => ![1, 2, 3].some(isServed));
  expect(worker.calls.map(({ signal }) => isGivenUp(signal))).toEqual([true, false, true]);
});
