import { type Envelope, type GenerateEvent, isGivenUp, noUsage } from '@model-gateway/canonical';
import { testEnvelope, testRoute } from '@model-gateway/canonical/testing/envelope';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AnnouncedAttempts } from './call-attempts.ts';
import { Caller } from './caller.ts';
import type { Bus } from './connection.ts';
import { decodeMessage, FrameKind } from './frame.ts';
import type { ServedCall } from './served-call.ts';
import { Server } from './server.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

let nats: NatsServer;
let time: PassingTime;
let callerBus: Bus;
let workerBus: Bus;
let caller: Caller;
let server: Server;
let served: ServedCall[];
/** The attempts by the request's id. */
const ids = new Map<string, string>();

beforeEach(async () => {
  nats = await startNats();
  time = new PassingTime();
  callerBus = await time.connect(nats.url, 'caller');
  workerBus = await time.connect(nats.url, 'worker');
  caller = await Caller.open(callerBus);
  served = [];
  server = await Server.open(workerBus, {
    pool: 'default',
    capacity: 10,
    serve(call) {
      served.push(call);
      ids.set(call.envelope.requestId, call.announce({ provider: 'p', model: 'm' }));
      call.send([{ type: 'start', id: '1', model: 'm' }]);
    },
  });
});
afterEach(async () => {
  caller.close();
  server.close();
  await time.close();
  await nats.stop();
});

/** Opens a call, and resolves at its first event. */
async function begin(requestId: string, fields: Partial<Envelope> = {}) {
  const envelope = testEnvelope({ requestId, textLength: 2, ...fields });
  const events: GenerateEvent[] = [];
  const call = caller.call({
    pool: 'default',
    envelope,
    body: Buffer.from('{}'),
    queueMs: 5_000,
    onEvents: more => void events.push(...more),
  });
  await time.arrive();
  expect(events).not.toEqual([]);
  return { call, events };
}

test('attempts that ended shortly before their worker was lost are reported, answered or cancelled', async () => {
  const lost = new Map<string, AnnouncedAttempts>();
  caller.onLost = tried => void lost.set(tried.envelope.requestId, tried);
  const answered = await begin('answered');
  const cancelled = await begin('cancelled');
  const usage = { ...noUsage, input: 3, output: 4 };
  served[0]?.send([{ type: 'finish', reason: 'stop', raw: 'stop', usage }]);
  await time.arrive();
  expect(answered.events.at(-1)?.type).toBe('finish');
  cancelled.call.cancel('ann');
  // A worker needs longer than this for its records if NATS does not take them at once.
  await time.pass(2_000);
  expect(lost.size).toBe(0);
  await workerBus.calls.close();
  await time.until(() => lost.size === 2);
  const attempts = (id: string) => [{ id: ids.get(id), provider: 'p', model: 'm' }];
  const ended = lost.get('answered');
  expect(ended).toMatchObject({ ended: 'answered', attempts: attempts('answered'), delivered: true, usage });
  expect(lost.get('cancelled')).toMatchObject({
    ended: 'left',
    attempts: attempts('cancelled'),
    endedBy: 'ann',
    delivered: true,
    usage: null,
  });
});

test('what was passed on of a stream whose worker is lost is reported, and that the gateway gave a call up', async () => {
  const lost = new Map<string, AnnouncedAttempts>();
  caller.onLost = tried => void lost.set(tried.envelope.requestId, tried);
  await begin('running');
  const { call } = await begin('given up', { stream: false });
  served[0]?.send([
    { type: 'part-start', index: 0, part: { type: 'text' } },
    { type: 'part-delta', index: 0, text: 'Hello' },
  ]);
  call.giveUp();
  await time.arrive();
  expect(isGivenUp(served[1]?.signal as AbortSignal)).toBe(true);
  await workerBus.calls.close();
  await time.until(() => lost.size === 2);
  expect(lost.get('running')).toMatchObject({ ended: 'lost', delivered: true, passed: { characters: 5 } });
  expect(lost.get('given up')).toMatchObject({ ended: 'given-up', delivered: false });
});

test('a call that was given up is reported if its worker had answered before it learnt of that', async () => {
  const lost: AnnouncedAttempts[] = [];
  caller.onLost = tried => void lost.push(tried);
  const { call } = await begin('late', { stream: false });
  served[0]?.send([{ type: 'finish', reason: 'stop', raw: 'stop', usage: noUsage }]);
  call.giveUp();
  await time.arrive();
  expect(lost).toMatchObject([{ ended: 'given-up', attempts: [{ id: ids.get('late') }], delivered: false }]);
  const other = await begin('in time', { stream: false });
  other.call.giveUp();
  await time.arrive();
  expect(lost).toHaveLength(1);
});

test.each([
  ['left', false],
  ['had its opening sent elsewhere', true],
])('a worker whose accept comes late learns whether the client %s', async (how, isGiven) => {
  const envelope = testEnvelope({ route: testRoute(), textLength: 2 });
  const ignored = { queueMs: 5_000, onEvents() {} };
  const call = caller.call({ pool: 'default', envelope, body: Buffer.from('{}'), ...ignored });
  if (how === 'left') call.cancel();
  else call.giveUp();
  await time.until(() => served.length === 1 && served[0]?.signal.aborted === true);
  expect(isGivenUp(served[0]?.signal as AbortSignal)).toBe(isGiven);
  // What it may have cost stays reserved until it is recorded.
  expect(call.attempts).toEqual(isGiven ? [] : [ids.get('req_1')]);
});

test('the attempt of a call that its client left is reported once it is clear that no worker accepts it', async () => {
  const lost: AnnouncedAttempts[] = [];
  caller.onLost = tried => void lost.push(tried);
  const ignored = { pool: 'default', body: Buffer.from('{}'), queueMs: 5_000, onEvents() {} };
  const leave = (requestId: string) => {
    const envelope = testEnvelope({ requestId, route: testRoute(), textLength: 2 });
    const call = caller.call({ ...ignored, envelope });
    call.cancel();
    return call.attempts;
  };
  leave('accepted late');
  await time.until(() => served.length === 1 && served[0]?.signal.aborted === true);
  await workerBus.calls.close();
  const attempts = leave('not accepted');
  await time.until(() => lost.length === 2);
  const attemptOf = (id: string) => lost.find(({ envelope }) => envelope.requestId === id);
  expect(attemptOf('not accepted')).toMatchObject({
    ended: 'unaccepted',
    attempts: [{ id: attempts[0], provider: 'p', model: 'm' }],
  });
  // Its worker was lost before it recorded the attempt.
  expect(attemptOf('accepted late')).toMatchObject({
    ended: 'left',
    attempts: [{ id: ids.get('accepted late') }],
  });
});

test('the first attempt of a route has the id of the opening, so that no frame announces it', async () => {
  const lost: AnnouncedAttempts[] = [];
  caller.onLost = tried => void lost.push(tried);
  const replies: number[] = [];
  callerBus.calls.subscribe('gateway.v1.reply.>', {
    callback: (_, { data }) => void replies.push(...decodeMessage(data).map(({ kind }) => kind)),
  });
  await begin('routed', { route: testRoute() });
  expect(replies).toEqual([FrameKind.accept, FrameKind.events]);
  const again = served[0]?.announce({ provider: 'p', model: 'm' });
  await time.arrive();
  expect(replies).toContain(FrameKind.attempt);
  await workerBus.calls.close();
  await time.until(() => lost.length > 0);
  const attempts = [ids.get('routed'), again].map(id => ({ id, provider: 'p', model: 'm' }));
  expect(lost).toMatchObject([{ attempts, delivered: true, usage: null }]);
});
