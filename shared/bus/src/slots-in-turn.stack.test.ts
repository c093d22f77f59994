import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bus, type Call, Caller, Server } from './index.ts';
import { heartbeatMs } from './liveness.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

let nats: NatsServer;
let time: PassingTime;
let bus: Bus;
let callers: [Caller, Caller];
let server: Server;
beforeEach(async () => {
  nats = await startNats();
  time = new PassingTime();
  bus = await time.connect(nats.url);
  callers = [await Caller.open(bus), await Caller.open(bus)];
});
afterEach(async () => {
  for (const caller of callers) caller.close();
  server.close();
  await time.close();
  await nats.stop();
});

/** Starts a worker that answers no call; both callers know it. */
async function startWorker(capacity: number): Promise<void> {
  server = await Server.open(bus, { pool: 'default', capacity, serve: () => {} });
  await time.arrive();
}

let tokens = 0;

interface Asked {
  call: Call;
  events: GenerateEvent[];
}

/** Makes a call of a project, with a token of its own unless `id` is given. */
function ask(
  project: string,
  { caller = callers[0], queueMs = 10_000, weight = 1, id = `${tokens++}` } = {},
): Asked {
  const events: GenerateEvent[] = [];
  const token = { id, project, weight };
  const call = caller.call({
    pool: 'default',
    envelope: { ...testEnvelope({ textLength: 2 }), token },
    body: Buffer.from('{}'),
    queueMs,
    onEvents: more => void events.push(...more),
  });
  return { call, events };
}

/** Lets time pass until the call is accepted; returns how much, in milliseconds. */
function accepted({ call }: Asked): Promise<number> {
  return time.until(() => call.worker !== undefined);
}

test.each([
  ['the same process', 0, heartbeatMs / 4],
  ['another process', 1, heartbeatMs / 2],
])(
  'a waiting call of %s gets a place that becomes free before the next heartbeat',
  async (_, other, mostMs) => {
    await startWorker(1);
    let last = ask('a');
    await accepted(last);
    for (let round = 0; round < 3; round++) {
      const next = ask('a', { caller: callers[round % 2 === 0 ? other : 0] as Caller });
      await time.pass(50);
      expect(next.call.worker).toBeUndefined();
      last.call.cancel();
      expect(await accepted(next)).toBeLessThan(mostMs);
      last = next;
    }
  },
);

test('a project with its share of the places is refused in its own words, and another is served', async () => {
  await startWorker(5);
  await accepted(ask('b'));
  for (const asked of Array.from({ length: 3 }, () => ask('a'))) await accepted(asked);
  const { call, events } = ask('a', { queueMs: 4_000 });
  await time.until(() => call.done);
  expect(events).toMatchObject([
    {
      kind: 'rate-limited',
      message: expect.stringMatching(/^This project has its share of the running requests/),
      share: true,
      retryAfterMs: 5_000,
    },
  ]);
  await accepted(ask('b'));
});

test('projects get the places of a busy worker by weight, whichever process their calls wait in', async () => {
  await startWorker(10);
  const all = Array.from({ length: 60 }, (_, i) => {
    const project = i % 2 === 0 ? 'heavy' : 'light';
    const weight = project === 'heavy' ? 3 : 1;
    return { project, ...ask(project, { weight, queueMs: 60_000, caller: callers[(i >> 1) % 2] as Caller }) };
  });
  const serving = () => all.filter(({ call }) => call.worker);
  const shares = () =>
    serving()
      .map(({ project }) => project)
      .toSorted()
      .join(' ');
  for (let ended = 0; ended < 16; ended++) {
    await time.until(() => serving().length >= 8);
    serving()[0]?.call.cancel();
  }
  const wanted = [...Array(6).fill('heavy'), ...Array(2).fill('light')].join(' ');
  await time.until(() => shares() === wanted);
});

test("a call that had no turn of its own is told that its token's share is used up, as those before it are", async () => {
  await startWorker(10);
  const same = { id: 'same', queueMs: 5_000 };
  const first = Array.from({ length: 12 }, () => ask('one', same));
  await time.until(() => first.filter(({ call }) => call.worker).length === 8);
  const { call, events } = ask('one', { ...same, queueMs: 300 });
  await time.until(() => call.done);
  expect(events).toMatchObject([{ type: 'error', kind: 'rate-limited' }]);
});
