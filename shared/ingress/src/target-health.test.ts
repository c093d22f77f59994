import { GatewayError, type Route } from '@model-gateway/canonical';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import type { Rest } from '@model-gateway/catalog';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { flapMs, longestProbeMs, longestRestMs, probeGraceMs, restMs, undecidedMs } from './rest-times.ts';
import { refusedKeyMs } from './target-failure.ts';
import { failuresToRest, TargetHealth } from './target-health.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const upstream = { provider: 'p', status: 500 };
const failure = new GatewayError('upstream', 'It failed.', { upstream });
const route = testRoute({ key: 'default' });
const other = testRoute({ key: 'default', model: 'other' });

function attempt(health: TargetHealth, error?: GatewayError, target: Route = route): void {
  health.begin(target, Date.now(), 'streamed').ended(error);
  vi.advanceTimersByTime(1);
}

function fail(health: TargetHealth, times = failuresToRest): void {
  for (let i = 0; i < times; i++) attempt(health, failure);
}

const firstMs = (health: TargetHealth) => health.firstMs(route, 'streamed', Date.now());
const isOpen = (health: TargetHealth, target = route) => health.isOpen(target, Date.now());

test('a target rests after repeated failures, and not after one or two', () => {
  const health = new TargetHealth();
  fail(health, failuresToRest - 1);
  expect(isOpen(health)).toBe(true);
  fail(health, 1);
  expect([isOpen(health), isOpen(health, other)]).toEqual([false, true]);
});

test('a target that fails three times in a row rests, however seldom it is asked', () => {
  const health = new TargetHealth();
  for (let i = 0; i < failuresToRest; i++) {
    expect(isOpen(health)).toBe(true);
    vi.advanceTimersByTime(10 * 60_000);
    attempt(health, failure);
  }
  expect(isOpen(health)).toBe(false);
});

test('a target that recovers and soon fails again rests longer each time, up to a minute', () => {
  const health = new TargetHealth();
  const lengths: number[] = [];
  for (let i = 0; i < 6; i++) {
    fail(health);
    const [rest] = health.resting() as [Rest];
    lengths.push((rest.until - rest.since) / restMs);
    vi.advanceTimersByTime(rest.until - Date.now());
    attempt(health);
    vi.advanceTimersByTime(10_000);
  }
  expect(lengths).toEqual([1, 2, 4, 8, longestRestMs / restMs, longestRestMs / restMs]);
  vi.advanceTimersByTime(flapMs);
  fail(health);
  expect((health.resting()[0]?.until ?? 0) - Date.now()).toBeLessThanOrEqual(restMs);
});

test('failed probes do not make a rest longer', () => {
  const health = new TargetHealth();
  fail(health);
  for (let i = 0; i < 5; i++) {
    vi.advanceTimersByTime(restMs);
    expect(isOpen(health)).toBe(true);
    attempt(health, failure);
    expect(isOpen(health)).toBe(false);
  }
});

test('a target that fails now and then does not rest', () => {
  const health = new TargetHealth();
  for (let i = 0; i < 100; i++) attempt(health, i % 3 === 0 ? failure : undefined);
  expect(isOpen(health)).toBe(true);
});

test('after its rest a target is probed by one request at a time, and takes its share again once one is answered', () => {
  const health = new TargetHealth();
  fail(health);
  vi.advanceTimersByTime(restMs);
  expect(isOpen(health)).toBe(true);
  const failing = health.begin(route, Date.now(), 'streamed');
  expect(isOpen(health)).toBe(false);
  vi.advanceTimersByTime(10);
  failing.ended(failure);
  expect(isOpen(health)).toBe(false);
  vi.advanceTimersByTime(restMs);
  const answered = health.begin(route, Date.now(), 'streamed');
  answered.began();
  expect(isOpen(health)).toBe(true);
  expect(health.resting()).toEqual([]);
  answered.ended();
});

test('a probe whose client leaves lets another request probe a moment later', () => {
  const health = new TargetHealth();
  fail(health);
  vi.advanceTimersByTime(restMs);
  const probe = health.begin(route, Date.now(), 'streamed');
  probe.left();
  expect(isOpen(health)).toBe(false);
  vi.advanceTimersByTime(undecidedMs);
  expect(isOpen(health)).toBe(true);
});

test('the failures of an outage are written once a second', () => {
  const health = new TargetHealth();
  fail(health);
  const written = vi.fn();
  health.onRest = written;
  for (let i = 0; i < 1_000; i++) attempt(health, failure);
  expect(written).toHaveBeenCalledTimes(1);
});

test('attempts that began before a rest do not count after it', () => {
  const health = new TargetHealth();
  const early = Array.from({ length: 10 }, () => health.begin(route, Date.now(), 'streamed'));
  vi.advanceTimersByTime(10);
  fail(health);
  vi.advanceTimersByTime(restMs);
  attempt(health);
  for (const each of early) each.ended(failure);
  expect(isOpen(health)).toBe(true);
});

test('a timeout is a failure of the target unless the deadline of its request ended it', () => {
  const total = route.timeouts.total;
  const timeOut = (details: object, endsAt: number) => {
    const health = new TargetHealth();
    for (let i = 0; i < failuresToRest; i++) {
      const begun = Date.now();
      const late = health.begin(route, begun, 'whole', begun + endsAt);
      vi.advanceTimersByTime(10_000);
      late.ended(new GatewayError('timeout', '', { upstream: { provider: 'p' }, ...details }));
    }
    return isOpen(health);
  };
  expect(timeOut({}, 10_000)).toBe(true);
  expect(timeOut({}, total)).toBe(false);
  expect(timeOut({ upstream: { provider: 'p', status: 504 } }, 10_000)).toBe(false);
});

test('a target rests for the time that its upstream asks for, after one error', () => {
  const health = new TargetHealth();
  attempt(health, new GatewayError('rate-limited', '', { upstream, retryAfterMs: 12_000 }));
  vi.advanceTimersByTime(11_990);
  expect(isOpen(health)).toBe(false);
  vi.advanceTimersByTime(10);
  expect(isOpen(health)).toBe(true);
});

test('a key that its upstream refuses rests for every model', () => {
  const health = new TargetHealth();
  attempt(health, new GatewayError('upstream', '', { upstream, refusedKey: true }));
  expect([isOpen(health), isOpen(health, other)]).toEqual([false, false]);
  expect(isOpen(health, testRoute({ key: 'second' }))).toBe(true);
  vi.advanceTimersByTime(refusedKeyMs);
  expect(isOpen(health)).toBe(true);
});

test.each([
  ['an invalid request', new GatewayError('invalid-request', '', { upstream })],
  ['an unknown model', new GatewayError('not-found', '', { upstream })],
  ['a full worker', new GatewayError('overloaded', '', { retryAfterMs: 5_000 })],
  ['a lost worker', new GatewayError('upstream', '')],
  ['a client that left', new GatewayError('cancelled', '')],
])('%s says nothing about the target', (_, error) => {
  const health = new TargetHealth();
  for (let i = 0; i < 10; i++) attempt(health, error);
  expect(isOpen(health)).toBe(true);
});

test('an answer to a request that began before the rest does not end it', () => {
  const health = new TargetHealth();
  const early = health.begin(route, Date.now(), 'streamed');
  vi.advanceTimersByTime(10);
  fail(health);
  early.began();
  early.ended();
  expect(isOpen(health)).toBe(false);
});

test('other processes learn of a rest and of its end, and leave the first probe to the one that began it', () => {
  const [one, two] = [new TargetHealth('one'), new TargetHealth('two')];
  one.onRest = rest => two.read(structuredClone(rest));
  two.onRest = rest => one.read(structuredClone(rest));
  fail(one);
  expect(isOpen(two)).toBe(false);
  vi.advanceTimersByTime(restMs);
  expect([isOpen(one), isOpen(two)]).toEqual([true, false]);
  vi.advanceTimersByTime(probeGraceMs);
  expect(isOpen(two)).toBe(true);
  attempt(two);
  expect([isOpen(one), isOpen(two)]).toEqual([true, true]);
});

test('while one process probes a target, no other one does', () => {
  const [one, two] = [new TargetHealth('one'), new TargetHealth('two')];
  one.onRest = rest => two.read(structuredClone(rest));
  two.onRest = rest => one.read(structuredClone(rest));
  fail(one);
  vi.advanceTimersByTime(restMs + probeGraceMs);
  const probe = two.begin(route, Date.now(), 'streamed');
  expect([isOpen(one), isOpen(two)]).toEqual([false, false]);
  vi.advanceTimersByTime(2_000);
  probe.left();
  vi.advanceTimersByTime(undecidedMs);
  expect([isOpen(one), isOpen(two)]).toEqual([true, true]);
});

test('a rest by a clock that is ahead lasts as long as by the own one', () => {
  const health = new TargetHealth();
  fail(health);
  const [rest] = health.resting() as [Rest];
  const hour = 3_600_000;
  const times = { version: rest.version + hour, since: rest.since + hour, until: rest.until + hour };
  const [reader, third] = [new TargetHealth('reader'), new TargetHealth('third')];
  reader.onRest = change => third.read(structuredClone(change));
  reader.read({ ...rest, ...times, writtenAt: Date.now() + hour });
  vi.advanceTimersByTime(restMs + probeGraceMs);
  expect(isOpen(reader)).toBe(true);
  // What the reader writes is true, though its version follows that of the clock that is ahead.
  reader.begin(route, Date.now(), 'streamed');
  expect(isOpen(third)).toBe(false);
});

test('an unknown model does not end a rest', () => {
  const health = new TargetHealth();
  fail(health);
  vi.advanceTimersByTime(restMs);
  attempt(health, new GatewayError('not-found', '', { upstream }));
  expect(health.resting()).toHaveLength(1);
});

test('an older change is not taken', () => {
  const health = new TargetHealth();
  fail(health);
  const [rest] = health.resting() as [Rest];
  health.read({ ...rest, version: rest.version - 1, until: 0 });
  expect(isOpen(health)).toBe(false);
  health.read({ ...rest, version: rest.version + 1, until: 0 });
  expect(isOpen(health)).toBe(true);
});

test('running requests and the time to the first token are measured', () => {
  const health = new TargetHealth();
  const one = health.begin(route, Date.now(), 'streamed');
  const other = health.begin(route, Date.now(), 'streamed');
  expect(health.inFlight(route)).toBe(2);
  vi.advanceTimersByTime(150);
  one.began(50);
  one.ended();
  expect([health.inFlight(route), firstMs(health)]).toEqual([1, 100]);
  vi.advanceTimersByTime(60_000);
  // While a request measures it again, no other one should.
  expect(firstMs(health)).toBe(Number.POSITIVE_INFINITY);
  other.left();
  expect(firstMs(health)).toBe(0);
});

test('a stream that has begun does not measure its target any more', () => {
  const health = new TargetHealth();
  health.begin(route, Date.now(), 'streamed').began();
  vi.advanceTimersByTime(60_000);
  expect([health.inFlight(route), firstMs(health)]).toEqual([1, 0]);
});

test('whole answers, which take longer, are measured apart from streams', () => {
  const health = new TargetHealth();
  const whole = health.begin(route, Date.now(), 'whole');
  const streamed = health.begin(route, Date.now(), 'streamed');
  vi.advanceTimersByTime(100);
  streamed.began();
  vi.advanceTimersByTime(900);
  whole.began();
  expect([firstMs(health), health.firstMs(route, 'whole', Date.now())]).toEqual([100, 1_000]);
});

test('an attempt that another one has overtaken counts as slow, and one whose client left does not', () => {
  const health = new TargetHealth();
  const attempts = [
    health.begin(route, Date.now(), 'streamed'),
    health.begin(other, Date.now(), 'streamed'),
  ] as const;
  vi.advanceTimersByTime(2_000);
  attempts[0].overtaken(500);
  attempts[1].left();
  expect([firstMs(health), health.firstMs(other, 'streamed', Date.now())]).toEqual([1_500, 0]);
});

test('a probe that hangs leaves the next one to another request', () => {
  const health = new TargetHealth();
  fail(health);
  vi.advanceTimersByTime(restMs);
  const hanging = health.begin(route, Date.now(), 'streamed');
  vi.advanceTimersByTime(longestProbeMs - 1);
  expect(isOpen(health)).toBe(false);
  vi.advanceTimersByTime(1);
  expect(isOpen(health)).toBe(true);
  const second = health.begin(route, Date.now(), 'streamed');
  hanging.left();
  expect(isOpen(health)).toBe(false);
  second.ended();
  expect([isOpen(health), health.resting()]).toEqual([true, []]);
});

test('an error that the request caused is no time to the first token', () => {
  const health = new TargetHealth();
  const refused = new GatewayError('not-found', '', { upstream });
  attempt(health, refused);
  expect(firstMs(health)).toBe(0);
});

test('a pause that is asked for by other errors than an overload or a limit is no rest, and neither is one of no time', () => {
  const health = new TargetHealth();
  attempt(health, new GatewayError('upstream', '', { upstream, retryAfterMs: 60_000 }));
  attempt(health, new GatewayError('overloaded', '', { upstream, retryAfterMs: 0 }));
  expect(isOpen(health)).toBe(true);
});

test('a rest that another process has ended leaves no failures behind', () => {
  const health = new TargetHealth();
  fail(health);
  const [rest] = health.resting() as [Rest];
  health.read({ ...rest, version: rest.version + 1, until: 0 });
  fail(health, failuresToRest - 1);
  expect(isOpen(health)).toBe(true);
});
