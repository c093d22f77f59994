import { setTimeout as sleep } from 'node:timers/promises';
import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bus, type Call, Caller, connectBus, Server } from './index.ts';
import { heartbeatMs } from './protocol.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

let nats: NatsServer;
let bus: Bus;
let callers: [Caller, Caller];
let server: Server;
beforeEach(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: 'test' });
  callers = [await Caller.open(bus), await Caller.open(bus)];
});
afterEach(async () => {
  for (const caller of callers) caller.close();
  server.close();
  await bus.close();
  await nats.stop();
});

/** Starts a worker that answers no call, and waits until both callers know it. */
async function startWorker(capacity: number): Promise<void> {
  server = await Server.open(bus, { pool: 'default', capacity, serve: () => {} });
  for (const caller of callers) await expect.poll(() => caller.problem).toBeUndefined();
}

let tokens = 0;

interface Asked {
  call: Call;
  ended: Promise<GenerateEvent | undefined>;
}

/** Makes a call of a project, with a token of its own unless `id` is given. */
function ask(
  project: string,
  { caller = callers[0], queueMs = 10_000, weight = 1, id = `${tokens++}` } = {},
): Asked {
  const ended = Promise.withResolvers<GenerateEvent | undefined>();
  const token = { id, project, weight };
  const call = caller.call({
    pool: 'default',
    envelope: { ...testEnvelope({ textLength: 2 }), token },
    body: Buffer.from('{}'),
    queueMs,
    onEvents: events => ended.resolve(events.at(-1)),
  });
  return { call, ended: ended.promise };
}

async function accepted({ call }: Asked): Promise<void> {
  await expect.poll(() => call.worker, { interval: 2 }).toBeDefined();
}

test.each([
  ['the same process', 0, heartbeatMs / 2],
  ['another process', 1, heartbeatMs],
])(
  'a waiting call of %s gets a place that becomes free before the next heartbeat',
  { retry: 2 },
  async (_, other, mostMs) => {
    await startWorker(1);
    let last = ask('a');
    await accepted(last);
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const next = ask('a', { caller: callers[round % 2 === 0 ? other : 0] as Caller });
      await expect.poll(() => next.call.queuedMs).toBeGreaterThan(50);
      const at = performance.now();
      last.call.cancel();
      await accepted(next);
      times.push(performance.now() - at);
      last = next;
    }
    expect(times.toSorted((one, two) => one - two)[2]).toBeLessThan(mostMs / 2);
  },
);

test('a project with its share of the places is refused in its own words, and another is served', async () => {
  await startWorker(5);
  const first = ask('b');
  await accepted(first);
  const greedy = Array.from({ length: 3 }, () => ask('a'));
  for (const asked of greedy) await accepted(asked);
  expect(await ask('a', { queueMs: 4_000 }).ended).toMatchObject({
    kind: 'rate-limited',
    message: expect.stringMatching(/^This project has its share of the running requests/),
    share: true,
    retryAfterMs: 5_000,
  });
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
    await expect.poll(() => serving().length, { interval: 2 }).toBeGreaterThanOrEqual(8);
    serving()[0]?.call.cancel();
  }
  await expect.poll(shares).toBe([...Array(6).fill('heavy'), ...Array(2).fill('light')].join(' '));
});

test("a call that had no turn of its own is told that its token's share is used up, as those before it are", async () => {
  await startWorker(10);
  const same = { id: 'same', queueMs: 5_000 };
  const first = Array.from({ length: 12 }, () => ask('one', same));
  await expect.poll(() => first.filter(({ call }) => call.worker).length).toBeGreaterThan(5);
  await sleep(200);
  const { ended } = ask('one', { ...same, queueMs: 300 });
  expect(await ended).toMatchObject({ type: 'error', kind: 'rate-limited' });
});
