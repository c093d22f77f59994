import { type Bus, connectBus, openProjection } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Process, Processes, passed } from '../testing/processes.ts';
import type { Counted } from './limits.ts';

let nats: NatsServer;
let admin: Bus;
beforeAll(async () => {
  nats = await startNats();
  admin = await connectBus({ url: nats.url, name: 'control' });
  // A busy server may answer a request of JetStream too late.
  await vi.waitFor(() => openProjection(admin, 'limits'), { timeout: 60_000 });
});
afterAll(async () => {
  await admin?.close();
  await nats?.stop();
});

let processes: Processes;
beforeEach(() => {
  processes = new Processes(nats.url);
});
afterEach(() => processes.close());

/** Returns the limits of a token, of which each test has its own. */
const tokenOf = (id: string, limits: Omit<Counted, 'key'>): Counted[] => [
  { key: JSON.stringify(['token', id]), ...limits },
];

/** Takes slots at several processes in turn, all at once. */
const takeAtOnce = (count: number, from: readonly Process[], counted: readonly Counted[]) =>
  processes.passWhile(
    Promise.all(
      Array.from({ length: count }, (_, i) => (from[i % from.length] as Process).limiter.take(counted, 0)),
    ),
  );

test('of 300 requests at once at three processes, exactly the limit of 100 pass', async () => {
  const all = await processes.startThree();
  const slots = await takeAtOnce(300, all, tokenOf('many', { requestsPerMinute: 100 }));
  expect(passed(slots)).toHaveLength(100);
  const refusal = slots.find(each => each.refusal)?.refusal;
  expect(refusal).toMatchObject({ kind: 'rate-limited' });
  expect(refusal?.message).toBe(
    'This token has reached its limit of 100 requests per minute. Retry in 60 s.',
  );
  expect(refusal?.details.retryAfterMs).toBe(60_000);
});

test('a request that has begun already counts at every process, even over its limit', async () => {
  const all = await processes.startThree();
  const counted = tokenOf('begun', { requestsPerMinute: 3, tokensPerMinute: 100 });
  const ends = all.map(({ limiter }) => limiter.count(counted));
  await processes.pass(100);
  for (const { limiter } of all)
    expect((await limiter.take(counted, 0)).refusal?.message).toMatch(/limit of 3 requests per minute/);
  all[1].limiter.count(counted)(1);
  for (const end of ends) end(40);
  await processes.pass(100);
  const ofTokens = tokenOf('begun', { tokensPerMinute: 121 });
  for (const { limiter } of all) expect((await limiter.take(ofTokens, 0)).decision.tokens?.remaining).toBe(0);
});

test('running requests of a process that is killed end within 3 s', async () => {
  const [first, second, third] = await processes.startThree();
  const counted = tokenOf('killed', { concurrency: 4 });
  const take = ({ limiter }: Process) => limiter.take(counted, 0);
  const slots = [await take(first), await take(second), await take(third), await take(third)];
  expect(passed(slots)).toHaveLength(4);
  expect((await take(second)).refusal?.message).toBe(
    'This token has reached its limit of 4 running requests. Wait until one has ended.',
  );
  await third.kill();
  await processes.pass(3_000);
  expect(passed([await take(second), await take(second), await take(second)])).toHaveLength(2);
});

test('running requests of a process that stands still keep their slots, until it is lost after 20 s', async () => {
  const [first, second, third] = await processes.startThree(true);
  const counted = tokenOf('paused', { concurrency: 2 });
  const take = ({ limiter }: Process) => processes.passWhile(limiter.take(counted, 0));
  expect(passed([await take(third), await take(third)])).toHaveLength(2);
  third.pause();
  for (let s = 0; s < 15; s += 5) {
    await processes.pass(5_000);
    expect(passed([await take(first), await take(second)])).toHaveLength(0);
  }
  third.resume();
  await processes.pass(5_000);
  expect(passed([await take(first)])).toHaveLength(0);
  third.pause();
  await processes.pass(21_000);
  const after = [await take(first), await take(second), await take(second)];
  third.resume();
  expect(passed(after)).toHaveLength(2);
});

test('running requests of a leader that stands still keep their slots at the next one, and those of one that is killed do not', async () => {
  const [first, second, third] = await processes.startThree(true);
  const counted = tokenOf('paused leader', { concurrency: 2 });
  const take = ({ limiter }: Process) => processes.passWhile(limiter.take(counted, 0));
  expect(passed([await take(first), await take(first)])).toHaveLength(2);
  // The leader tells its slots each second.
  await processes.pass(1_000);
  first.pause();
  for (let s = 0; s < 15; s += 5) {
    expect(passed([await take(second), await take(third)])).toHaveLength(0);
    await processes.pass(5_000);
  }
  first.resume();
  await processes.pass(2_000);
  expect(passed([await take(second), await take(first)])).toHaveLength(0);
  const leader = second.limiter.isLeader ? second : third;
  const other = leader === second ? third : second;
  const more = tokenOf('killed leader', { concurrency: 1 });
  expect(passed([await processes.passWhile(leader.limiter.take(more, 0))])).toHaveLength(1);
  await processes.pass(1_000);
  await leader.kill();
  expect((await processes.passWhile(other.limiter.take(more, 0))).refusal).toBeDefined();
  await processes.pass(3_000);
  expect(passed([await processes.passWhile(other.limiter.take(more, 0))])).toHaveLength(1);
});

test('a new leader knows what the processes that are left counted', async () => {
  const [first, second, third] = await processes.startThree();
  const counted = tokenOf('moved', { requestsPerMinute: 10, concurrency: 8 });
  const slots = await takeAtOnce(6, [second, third], counted);
  await first.kill();
  await processes.passUntil(() => second.limiter.isLeader || third.limiter.isLeader);
  await processes.pass(1_500);
  const more = await takeAtOnce(10, [second, third], counted);
  // Two of the eight slots are free.
  expect(passed(more)).toHaveLength(2);
  for (const slot of [...slots, ...passed(more)]) slot.end();
  await processes.pass(100);
  expect(passed(await takeAtOnce(10, [second], counted))).toHaveLength(2);
});

test('a leader that stops hands its counts over, those of processes that are gone too', async () => {
  const [first, second, third] = await processes.startThree();
  const counted = tokenOf('handed', { requestsPerMinute: 10 });
  await takeAtOnce(6, [third], counted);
  await third.kill();
  await first.limiter.close();
  await processes.passUntil(() => second.limiter.isLeader);
  expect(passed(await takeAtOnce(10, [second], counted))).toHaveLength(4);
});

test('a leader that is killed soon after a handover leaves what it counted to the reports of the others', async () => {
  const [first, second, third] = await processes.startThree();
  const counted = tokenOf('handed once', { requestsPerMinute: 10 });
  await first.limiter.close();
  await processes.passUntil(() => second.limiter.isLeader || third.limiter.isLeader);
  const [leader, other] = second.limiter.isLeader ? [second, third] : [third, second];
  await processes.untilLed(leader, other);
  expect(passed(await takeAtOnce(6, [other], counted))).toHaveLength(6);
  await leader.kill();
  await processes.passUntil(() => other.limiter.isLeader);
  expect(passed(await takeAtOnce(10, [other], counted))).toHaveLength(4);
});

test('exactly the limit passes while a leader stops and another one takes its place', async () => {
  const [first, second, third] = await processes.startThree();
  const counted = tokenOf('between', { requestsPerMinute: 90 });
  const slots = await takeAtOnce(20, [first], counted);
  await first.limiter.close();
  // One of the two becomes the leader while the questions of the other are on their way to the one before.
  slots.push(...(await takeAtOnce(120, [second, third], counted)));
  expect(passed(slots)).toHaveLength(90);
});

test('requests of many tokens are counted by a new leader, in several messages', async () => {
  const [first, second, third] = await processes.startThree();
  const many = Array.from({ length: 1_200 }, (_, i) =>
    tokenOf(`many ${i}`, { requestsPerMinute: 2, concurrency: 2 }),
  );
  const takeAll = ({ limiter }: Process) =>
    processes.passWhile(Promise.all(many.map(counted => limiter.take(counted, 0))));
  expect(passed(await takeAll(third))).toHaveLength(1_200);
  await first.limiter.close();
  await processes.passUntil(() => second.limiter.isLeader || third.limiter.isLeader);
  await processes.pass(500);
  expect(passed(await takeAll(second))).toHaveLength(1_200);
  expect(passed(await takeAll(third))).toHaveLength(0);
});

test('a leader learns of running requests that it missed, and a message that it cannot read harms nobody', async () => {
  const [first, second] = await processes.startThree();
  first.bus.calls.publish('gateway.v1.limits.ask', 'null');
  first.bus.calls.publish('gateway.v1.limits.all', '{');
  const counted = tokenOf('missed', { concurrency: 1 });
  const slot = await second.limiter.take(counted, 0);
  expect(slot.refusal).toBeUndefined();
  // The end of another process's request with the same id, as after a lost connection.
  const [from] = await senders(first.bus);
  const data = { ends: [[slot.decision.id]] };
  second.bus.calls.publish('gateway.v1.limits.ask', JSON.stringify({ from, data }));
  await processes.pass(0);
  const isRefused = () => processes.isRefused(first.limiter, counted);
  expect(await isRefused()).toBe(false);
  await processes.pass(1_000);
  expect(await isRefused()).toBe(true);
});

/** Returns the processes with running requests, by their beats of a second. */
async function senders(bus: Bus): Promise<string[]> {
  const found: string[] = [];
  const subscription = bus.calls.subscribe('gateway.v1.limits.ask', {
    callback: (_, message) => {
      const { from, data } = message.json<{ from: string; data: { beat?: number[] } }>();
      if (data.beat?.length) found.push(from);
    },
  });
  await processes.pass(1_000);
  subscription.unsubscribe();
  return found;
}

test('without a leader, requests wait five seconds, and then the configured rule applies', async () => {
  await admin.state.request('$JS.API.STREAM.DELETE.KV_limits', '', { timeout: 60_000 });
  const lone = await processes.connect();
  const open = processes.on(lone, 'open');
  const closed = processes.on(lone);
  await processes.pass(1_200);
  const counted = tokenOf('alone', { requestsPerMinute: 3 });
  const settled: string[] = [];
  const taking = [open, closed].map(({ limiter }) =>
    limiter.take(counted, 0).then(
      ({ refusal }) => settled.push(`passed: ${refusal === undefined}`),
      error => settled.push(error.message),
    ),
  );
  await processes.pass(4_900);
  expect(settled).toEqual([]);
  await processes.pass(200);
  await Promise.all(taking);
  expect(settled).toEqual(['passed: true', 'The limits of this token cannot be checked at the moment.']);
  lone.responds = () => false;
  const whileStill = closed.limiter.take(counted, 0).catch(error => error.details);
  expect(await processes.passWhile(whileStill)).toMatchObject({ code: 'bus_unavailable', unserved: true });
  await vi.waitFor(() => openProjection(admin, 'limits'), { timeout: 60_000 });
  await processes.passUntil(() => open.limiter.isLeader || closed.limiter.isLeader);
});

/**
 * Takes slots at several processes in turn, four in a millisecond, until three in a row are refused, or `most`. Returns the number that
 * passed at each.
 */
async function takeOften(
  from: readonly Process[],
  counted: readonly Counted[],
  most = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const passes = from.map(() => 0);
  let refusals = 0;
  for (let taken = 0; refusals < 3 && taken < most; taken++) {
    const i = taken % from.length;
    const slot = await processes.passWhile((from[i] as Process).limiter.take(counted, 10));
    refusals = slot.refusal ? refusals + 1 : 0;
    if (slot.refusal) await processes.pass(10);
    else passes[i] = (passes[i] as number) + 1;
    if (taken % 16 === 0) await processes.pass(4);
    slot.end(10);
  }
  return passes;
}

const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);

test('a process that asks often asks for few of its requests, and exactly the limit passes', async () => {
  const [first, second, third] = await processes.startThree();
  let asks = 0;
  first.bus.calls.subscribe('gateway.v1.limits.ask', {
    callback: (_, message) => {
      asks += message.json<{ data: { asks?: unknown[] } }>().data.asks?.length ?? 0;
    },
  });
  const counted = tokenOf('often', { requestsPerMinute: 4_000, tokensPerMinute: 1_000_000, concurrency: 40 });
  const passes = await takeOften([second, third], counted);
  expect(Math.min(...passes)).toBeGreaterThan(500);
  expect(asks).toBeLessThan(1_000);
  // What was lent and not used is given back.
  await processes.pass(2_000);
  const rest = await takeOften([first], counted);
  expect(sum([...passes, ...rest])).toBe(4_000);
});

test('no more than the limit passes when the leader is killed while others have its loans', async () => {
  const [first, second, third] = await processes.startThree();
  const counted = tokenOf('lent', { requestsPerMinute: 6_000 });
  const passes = await takeOften([second, third], counted, 1_000);
  await first.kill();
  passes.push(...(await takeOften([second, third], counted)));
  await processes.passUntil(() => second.limiter.isLeader || third.limiter.isLeader);
  await processes.pass(1_500);
  passes.push(...(await takeOften([second, third], counted)));
  expect(sum(passes)).toBeLessThanOrEqual(6_000);
  // A sixteenth of what was left counts as lent, or as granted ahead.
  expect(sum(passes)).toBeGreaterThan(5_300);
});

test('a process that stood still takes the answer of the leader that it has not read yet', async () => {
  const [, second, third] = await processes.startThree();
  const counted = tokenOf('still', { requestsPerMinute: 3 });
  expect(passed(await takeAtOnce(3, [second], counted))).toHaveLength(3);
  const taking = third.limiter.take(counted, 0);
  processes.clock.jump(1_300);
  expect((await taking).refusal?.message).toMatch(/limit of 3 requests per minute/);
});

/** Keeps the messages to the leader of a bus from it, from `hold` to `release`. */
function delaying(bus: Bus): { hold(): void; release(): void } {
  const subscribe = bus.calls.subscribe.bind(bus.calls);
  let held: (() => void)[] | undefined;
  bus.calls.subscribe = (subject, options) =>
    subscribe(subject, {
      ...options,
      callback: (error, message) => {
        const read = () => void options?.callback?.(error, message);
        if (held && subject === 'gateway.v1.limits.ask') held.push(read);
        else read();
      },
    });
  return {
    hold() {
      held = [];
    },
    release() {
      for (const read of held?.splice(0) ?? []) read();
      held = undefined;
    },
  };
}

test('a request that the leader granted too late, and its process refused, counts for nothing', async () => {
  const bus = await processes.connect();
  const messages = delaying(bus);
  const leader = processes.on(bus);
  await processes.passUntil(() => leader.limiter.isLeader);
  const other = await processes.start();
  await processes.untilLed(leader, other);
  const counted = tokenOf('too late', { requestsPerMinute: 4, tokensPerMinute: 400, concurrency: 4 });
  const take = ({ limiter }: Process) => processes.passWhile(limiter.take(counted, 100));
  const slots = [await take(other), await take(other)];
  expect(passed(slots)).toHaveLength(2);
  expect(slots.at(-1)?.decision.requests).toMatchObject({ limit: 4, remaining: 2 });
  messages.hold();
  await expect(take(other)).rejects.toMatchObject({ kind: 'overloaded' });
  messages.release();
  await processes.pass(100);
  const more = [await take(leader), await take(leader)];
  expect(passed(more)).toHaveLength(2);
  expect(more.at(-1)?.decision).toMatchObject({ requests: { remaining: 0 }, tokens: { remaining: 0 } });
});
