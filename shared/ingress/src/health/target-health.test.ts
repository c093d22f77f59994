import { GatewayError, type Route } from '@model-gateway/canonical';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import type { Rest } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { refusedKeyMs } from '../attempts/target-failure.ts';
import { flapMs, longestProbeMs, longestRestMs, probeGraceMs, restMs, undecidedMs } from './rest-times.ts';
import { failuresToRest, TargetHealth } from './target-health.ts';

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});
const make = (id?: string) => new TargetHealth(id, clock);

const upstream = { provider: 'p', status: 500 };
const failure = new GatewayError('upstream', 'It failed.', { upstream });
const route = testRoute({ key: 'default' });
const other = testRoute({ key: 'default', model: 'other' });

async function attempt(health: TargetHealth, error?: GatewayError, target: Route = route): Promise<void> {
  health.begin(target, clock.now(), 'streamed').ended(error);
  await clock.advance(1);
}

async function fail(health: TargetHealth, times = failuresToRest): Promise<void> {
  for (let i = 0; i < times; i++) await attempt(health, failure);
}

const firstMs = (health: TargetHealth) => health.firstMs(route, 'streamed', clock.now());
const isOpen = (health: TargetHealth, target = route) => health.isOpen(target, clock.now());

test('a target rests after repeated failures, and not after one or two', async () => {
  const health = make();
  await fail(health, failuresToRest - 1);
  expect(isOpen(health)).toBe(true);
  await fail(health, 1);
  expect([isOpen(health), isOpen(health, other)]).toEqual([false, true]);
});

test('a target that fails three times in a row rests, however seldom it is asked', async () => {
  const health = make();
  for (let i = 0; i < failuresToRest; i++) {
    expect(isOpen(health)).toBe(true);
    await clock.advance(10 * 60_000);
    await attempt(health, failure);
  }
  expect(isOpen(health)).toBe(false);
});

test('a target that recovers and soon fails again rests longer each time, up to a minute', async () => {
  const health = make();
  const lengths: number[] = [];
  for (let i = 0; i < 6; i++) {
    await fail(health);
    const [rest] = health.resting() as [Rest];
    lengths.push((rest.until - rest.since) / restMs);
    await clock.advance(rest.until - clock.now());
    await attempt(health);
    await clock.advance(10_000);
  }
  expect(lengths).toEqual([1, 2, 4, 8, longestRestMs / restMs, longestRestMs / restMs]);
  await clock.advance(flapMs);
  await fail(health);
  expect((health.resting()[0]?.until ?? 0) - clock.now()).toBeLessThanOrEqual(restMs);
});

test('failed probes do not make a rest longer', async () => {
  const health = make();
  await fail(health);
  for (let i = 0; i < 5; i++) {
    await clock.advance(restMs);
    expect(isOpen(health)).toBe(true);
    await attempt(health, failure);
    expect(isOpen(health)).toBe(false);
  }
});

test('a target that fails now and then does not rest', async () => {
  const health = make();
  for (let i = 0; i < 100; i++) await attempt(health, i % 3 === 0 ? failure : undefined);
  expect(isOpen(health)).toBe(true);
});

test('after its rest a target is probed by one request at a time, and takes its share again once one is answered', async () => {
  const health = make();
  await fail(health);
  await clock.advance(restMs);
  expect(isOpen(health)).toBe(true);
  const failing = health.begin(route, clock.now(), 'streamed');
  expect(isOpen(health)).toBe(false);
  await clock.advance(10);
  failing.ended(failure);
  expect(isOpen(health)).toBe(false);
  await clock.advance(restMs);
  const answered = health.begin(route, clock.now(), 'streamed');
  answered.began();
  expect(isOpen(health)).toBe(true);
  expect(health.resting()).toEqual([]);
  answered.ended();
});

test('a probe whose client leaves lets another request probe a moment later', async () => {
  const health = make();
  await fail(health);
  await clock.advance(restMs);
  const probe = health.begin(route, clock.now(), 'streamed');
  probe.left();
  expect(isOpen(health)).toBe(false);
  await clock.advance(undecidedMs);
  expect(isOpen(health)).toBe(true);
});

test('the failures of an outage are written once a second', async () => {
  const health = make();
  await fail(health);
  const written = vi.fn();
  health.onRest = written;
  for (let i = 0; i < 1_000; i++) await attempt(health, failure);
  expect(written).toHaveBeenCalledTimes(1);
});

test('attempts that began before a rest do not count after it', async () => {
  const health = make();
  const early = Array.from({ length: 10 }, () => health.begin(route, clock.now(), 'streamed'));
  await clock.advance(10);
  await fail(health);
  await clock.advance(restMs);
  await attempt(health);
  for (const each of early) each.ended(failure);
  expect(isOpen(health)).toBe(true);
});

test('a timeout is a failure of the target unless the deadline of its request ended it', async () => {
  const total = route.timeouts.total;
  const timeOut = async (details: object, endsAt: number) => {
    const health = make();
    for (let i = 0; i < failuresToRest; i++) {
      const begun = clock.now();
      const late = health.begin(route, begun, 'whole', begun + endsAt);
      await clock.advance(10_000);
      late.ended(new GatewayError('timeout', '', { upstream: { provider: 'p' }, ...details }));
    }
    return isOpen(health);
  };
  expect(await timeOut({}, 10_000)).toBe(true);
  expect(await timeOut({}, total)).toBe(false);
  expect(await timeOut({ upstream: { provider: 'p', status: 504 } }, 10_000)).toBe(false);
});

test('a target rests for the time that its upstream asks for, after one error', async () => {
  const health = make();
  await attempt(health, new GatewayError('rate-limited', '', { upstream, retryAfterMs: 12_000 }));
  await clock.advance(11_990);
  expect(isOpen(health)).toBe(false);
  await clock.advance(10);
  expect(isOpen(health)).toBe(true);
});

test('a key that its upstream refuses rests for every model', async () => {
  const health = make();
  await attempt(health, new GatewayError('upstream', '', { upstream, refusedKey: true }));
  expect([isOpen(health), isOpen(health, other)]).toEqual([false, false]);
  expect(isOpen(health, testRoute({ key: 'second' }))).toBe(true);
  await clock.advance(refusedKeyMs);
  expect(isOpen(health)).toBe(true);
});

test.each([
  ['an invalid request', new GatewayError('invalid-request', '', { upstream })],
  ['an unknown model', new GatewayError('not-found', '', { upstream })],
  ['a full worker', new GatewayError('overloaded', '', { retryAfterMs: 5_000 })],
  ['a lost worker', new GatewayError('upstream', '')],
  ['a client that left', new GatewayError('cancelled', '')],
])('%s says nothing about the target', async (_, error) => {
  const health = make();
  for (let i = 0; i < 10; i++) await attempt(health, error);
  expect(isOpen(health)).toBe(true);
});

test('an answer to a request that began before the rest does not end it', async () => {
  const health = make();
  const early = health.begin(route, clock.now(), 'streamed');
  await clock.advance(10);
  await fail(health);
  early.began();
  early.ended();
  expect(isOpen(health)).toBe(false);
});

test('other processes learn of a rest and of its end, and leave the first probe to the one that began it', async () => {
  const [one, two] = [make('one'), make('two')];
  one.onRest = rest => two.read(structuredClone(rest));
  two.onRest = rest => one.read(structuredClone(rest));
  await fail(one);
  expect(isOpen(two)).toBe(false);
  await clock.advance(restMs);
  expect([isOpen(one), isOpen(two)]).toEqual([true, false]);
  await clock.advance(probeGraceMs);
  expect(isOpen(two)).toBe(true);
  await attempt(two);
  expect([isOpen(one), isOpen(two)]).toEqual([true, true]);
});

test('while one process probes a target, no other one does', async () => {
  const [one, two] = [make('one'), make('two')];
  one.onRest = rest => two.read(structuredClone(rest));
  two.onRest = rest => one.read(structuredClone(rest));
  await fail(one);
  await clock.advance(restMs + probeGraceMs);
  const probe = two.begin(route, clock.now(), 'streamed');
  expect([isOpen(one), isOpen(two)]).toEqual([false, false]);
  await clock.advance(2_000);
  probe.left();
  await clock.advance(undecidedMs);
  expect([isOpen(one), isOpen(two)]).toEqual([true, true]);
});

test('a rest by a clock that is ahead lasts as long as by the own one', async () => {
  const health = make();
  await fail(health);
  const [rest] = health.resting() as [Rest];
  const hour = 3_600_000;
  const times = { version: rest.version + hour, since: rest.since + hour, until: rest.until + hour };
  const [reader, third] = [make('reader'), make('third')];
  reader.onRest = change => third.read(structuredClone(change));
  reader.read({ ...rest, ...times, writtenAt: clock.now() + hour });
  await clock.advance(restMs + probeGraceMs);
  expect(isOpen(reader)).toBe(true);
  // What the reader writes is true, though its version follows that of the clock that is ahead.
  reader.begin(route, clock.now(), 'streamed');
  expect(isOpen(third)).toBe(false);
});

test('an unknown model does not end a rest', async () => {
  const health = make();
  await fail(health);
  await clock.advance(restMs);
  await attempt(health, new GatewayError('not-found', '', { upstream }));
  expect(health.resting()).toHaveLength(1);
});

test('an older change is not taken', async () => {
  const health = make();
  await fail(health);
  const [rest] = health.resting() as [Rest];
  health.read({ ...rest, version: rest.version - 1, until: 0 });
  expect(isOpen(health)).toBe(false);
  health.read({ ...rest, version: rest.version + 1, until: 0 });
  expect(isOpen(health)).toBe(true);
});

test('running requests and the time to the first token are measured', async () => {
  const health = make();
  const one = health.begin(route, clock.now(), 'streamed');
  const other = health.begin(route, clock.now(), 'streamed');
  expect(health.inFlight(route)).toBe(2);
  await clock.advance(150);
  one.began(50);
  one.ended();
  expect([health.inFlight(route), firstMs(health)]).toEqual([1, 100]);
  await clock.advance(60_000);
  // While a request measures it again, no other one should.
  expect(firstMs(health)).toBe(Number.POSITIVE_INFINITY);
  other.left();
  expect(firstMs(health)).toBe(0);
});

test('a stream that has begun does not measure its target any more', async () => {
  const health = make();
  health.begin(route, clock.now(), 'streamed').began();
  await clock.advance(60_000);
  expect([health.inFlight(route), firstMs(health)]).toEqual([1, 0]);
});

test('whole answers, which take longer, are measured apart from streams', async () => {
  const health = make();
  const whole = health.begin(route, clock.now(), 'whole');
  const streamed = health.begin(route, clock.now(), 'streamed');
  await clock.advance(100);
  streamed.began();
  await clock.advance(900);
  whole.began();
  expect([firstMs(health), health.firstMs(route, 'whole', clock.now())]).toEqual([100, 1_000]);
});

test('an attempt that another one has overtaken counts as slow, and one whose client left does not', async () => {
  const health = make();
  const attempts = [
    health.begin(route, clock.now(), 'streamed'),
    health.begin(other, clock.now(), 'streamed'),
  ] as const;
  await clock.advance(2_000);
  attempts[0].overtaken(500);
  attempts[1].left();
  expect([firstMs(health), health.firstMs(other, 'streamed', clock.now())]).toEqual([1_500, 0]);
});

test('a probe that hangs leaves the next one to another request', async () => {
  const health = make();
  await fail(health);
  await clock.advance(restMs);
  const hanging = health.begin(route, clock.now(), 'streamed');
  await clock.advance(longestProbeMs - 1);
  expect(isOpen(health)).toBe(false);
  await clock.advance(1);
  expect(isOpen(health)).toBe(true);
  const second = health.begin(route, clock.now(), 'streamed');
  hanging.left();
  expect(isOpen(health)).toBe(false);
  second.ended();
  expect([isOpen(health), health.resting()]).toEqual([true, []]);
});

test('an error that the request caused is no time to the first token', async () => {
  const health = make();
  const refused = new GatewayError('not-found', '', { upstream });
  await attempt(health, refused);
  expect(firstMs(health)).toBe(0);
});

test('a pause that is asked for by other errors than an overload or a limit is no rest, and neither is one of no time', async () => {
  const health = make();
  await attempt(health, new GatewayError('upstream', '', { upstream, retryAfterMs: 60_000 }));
  await attempt(health, new GatewayError('overloaded', '', { upstream, retryAfterMs: 0 }));
  expect(isOpen(health)).toBe(true);
});

test('a rest that another process has ended leaves no failures behind', async () => {
  const health = make();
  await fail(health);
  const [rest] = health.resting() as [Rest];
  health.read({ ...rest, version: rest.version + 1, until: 0 });
  await fail(health, failuresToRest - 1);
  expect(isOpen(health)).toBe(true);
});
