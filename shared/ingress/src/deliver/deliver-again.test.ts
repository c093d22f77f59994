import { GatewayError } from '@model-gateway/canonical';
import type { ManualClock } from '@model-gateway/clock/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import type { TargetHealth } from '../health/target-health.ts';
import type { Fallbacks } from '../plan/fallbacks.ts';
import { deliverOver, route, startHealth } from '../testing/deliver-over.ts';

let clock: ManualClock;
let health: TargetHealth;
beforeEach(() => {
  ({ clock, health } = startHealth());
});
const deliver = (
  routes: Parameters<typeof deliverOver>[0],
  options: Parameters<typeof deliverOver>[1] = {},
) => deliverOver(routes, options, health);

const upstream = { provider: 'a', status: 503 };

test('a request whose routes have all failed is sent again to the one that asks for the shortest wait', async () => {
  const routes = [route('a'), route('b'), route('c')];
  const { asked, fail, finish, ended, sink, providers } = deliver(routes, { retries: 1 });
  fail(0, { upstream, retryAfterMs: 60_000 });
  fail(1, { upstream, retryAfterMs: 2_000 });
  fail(2, { upstream, retryAfterMs: 3_000 });
  await clock.advance(1_999);
  expect(asked).toHaveLength(3);
  await clock.advance(500);
  expect(providers()).toEqual(['a', 'b', 'c', 'b']);
  finish(3);
  expect(await ended).toBeUndefined();
  expect(sink.text).toBe('Hi');
});

test('a client that leaves before a retry has no further attempt made', async () => {
  const { asked, fail, ended, sink } = deliver([route('a')], { retries: 1 });
  fail(0, { upstream });
  sink.emit('close');
  expect(await ended).toMatchObject({ kind: 'cancelled' });
  await clock.advance(10_000);
  expect(asked).toHaveLength(1);
});

test.each([
  ['too long a wait', { upstream, retryAfterMs: 60_000 }],
  ['an error that is not of the upstream', {}],
])('a request is not sent again after %s', async (_, error) => {
  const { asked, fail, ended } = deliver([route('a')], { retries: 3 });
  fail(0, error);
  expect(await ended).toMatchObject({ kind: 'upstream' });
  expect(asked).toHaveLength(1);
});

test('once the budget is used up, a request is sent to another route, and not again', async () => {
  while (health.retries.take('retry'));
  const { providers, fail, ended } = deliver([route('a'), route('b')], { retries: 3 });
  fail(0, { upstream });
  fail(1, { upstream });
  expect(await ended).toMatchObject({ kind: 'upstream' });
  expect(providers()).toEqual(['a', 'b']);
});

test('a target that another request probes is passed over while another one is open', async () => {
  const asking = new GatewayError('rate-limited', '', { upstream, retryAfterMs: 1 });
  health.begin(route('a'), clock.now(), 'streamed').ended(asking);
  await clock.advance(5);
  const probe = health.begin(route('a'), clock.now(), 'streamed');
  const { providers, finish, ended } = deliver([route('a'), route('b')]);
  finish(0);
  await ended;
  expect(providers()).toEqual(['b']);
  probe.left();
});

test('a stream that breaks off counts as a failure of its target, and an answer as a success', async () => {
  for (let i = 0; i < 3; i++) {
    const { at, fail, ended } = deliver([route('a')]);
    at(0).onEvents([{ type: 'verbatim', bytes: Buffer.from('H') }], 0);
    fail(0, { upstream });
    await ended;
  }
  expect([health.isOpen(route('a'), clock.now()), health.inFlight(route('a'))]).toEqual([false, 0]);
});

const started = { type: 'start', id: 'x', model: 'up' } as const;

test('a second route is taken if the first has not answered in time; the one that answers first is taken', async () => {
  const { at, finish, ended, sink, providers } = deliver([route('a'), route('b'), route('c')], {
    hedgeAfter: 1_000,
  });
  await clock.advance(999);
  expect(providers()).toEqual(['a']);
  await clock.advance(9_000);
  expect(providers()).toEqual(['a', 'b']);
  finish(1);
  expect(await ended).toBeUndefined();
  expect(sink.text).toBe('Hi');
  expect(at(0).call.giveUp).toHaveBeenCalled();
  for (const i of [0, 1]) expect(at(i).call.cancel).not.toHaveBeenCalled();
});

test('the second attempt of a hedged request is cancelled once the first one answers', async () => {
  const { at, finish, ended } = deliver([route('a'), route('b')], { hedgeAfter: 10, stream: false });
  await clock.advance(10);
  at(0).onEvents([started], 0);
  expect(at(1).call.giveUp).toHaveBeenCalled();
  finish(0);
  expect(await ended).toBeUndefined();
  expect([health.inFlight(route('a')), health.inFlight(route('b'))]).toEqual([0, 0]);
});

test('no second route is taken once the first one has begun to answer, or without budget', async () => {
  const begun = deliver([route('a'), route('b')], { hedgeAfter: 10, stream: false });
  begun.at(0).onEvents([started], 0);
  while (health.retries.take('retry'));
  const { providers } = deliver([route('a'), route('b')], { hedgeAfter: 10 });
  await clock.advance(10);
  expect([begun.providers(), providers()]).toEqual([['a'], ['a']]);
});

test('if one attempt of a hedged request fails, the other may still answer; if both fail, the next route is taken', async () => {
  const { fail, finish, ended, providers } = deliver([route('a'), route('b'), route('c')], {
    hedgeAfter: 10,
  });
  await clock.advance(10);
  fail(0, { upstream });
  expect(providers()).toEqual(['a', 'b']);
  fail(1, { upstream });
  expect(providers()).toEqual(['a', 'b', 'c']);
  finish(2);
  expect(await ended).toBeUndefined();
});

test('a client that leaves cancels both attempts of a hedged request, and is charged for the first', async () => {
  const { at, ended, sink, left } = deliver([route('a'), route('b')], { hedgeAfter: 10 });
  await clock.advance(10);
  sink.destroy();
  expect(await ended).toMatchObject({ kind: 'cancelled' });
  expect(at(0).call.cancel).toHaveBeenCalled();
  expect(at(1).call.giveUp).toHaveBeenCalled();
  expect(left.mock.calls).toMatchObject([[{ route: { provider: 'a' } }]]);
});

test('a hedged request waits for its worker before the time of the second attempt begins', async () => {
  const { at, providers } = deliver([route('a'), route('b')], { hedgeAfter: 10 });
  at(0).call.worker = undefined;
  await clock.advance(25);
  at(0).call.worker = 'w';
  expect(providers()).toEqual(['a']);
  await clock.advance(10);
  expect(providers()).toEqual(['a', 'b']);
});

test('after a failover, the time of the second attempt begins again, and there is only one', async () => {
  const { fail, providers } = deliver([route('a'), route('b'), route('c'), route('d')], {
    hedgeAfter: 10,
  });
  await clock.advance(9);
  fail(0, { upstream });
  await clock.advance(9);
  expect(providers()).toEqual(['a', 'b']);
  await clock.advance(100);
  expect(providers()).toEqual(['a', 'b', 'c']);
});

test.each([
  ['an answer', true],
  ['an error', false],
])(
  'if one target of a hedged request refuses it, the client gets %s of the other if it answers: %s',
  async (_, answers) => {
    const { at, fail, finish, ended, providers } = deliver([route('a'), route('b'), route('c')], {
      hedgeAfter: 10,
    });
    await clock.advance(10);
    fail(1, { kind: 'invalid-request' });
    expect(at(0).call.cancel).not.toHaveBeenCalled();
    if (answers) finish(0);
    else fail(0, { upstream });
    if (answers) expect(await ended).toBeUndefined();
    else expect(await ended).toMatchObject({ kind: 'invalid-request' });
    // The refusal is about the request: no third target is asked.
    expect(providers()).toEqual(['a', 'b']);
  },
);

test('the attempt of a hedged request that is overtaken counts as slow', async () => {
  const { finish, ended } = deliver([route('a'), route('b')], { hedgeAfter: 1_000 });
  await clock.advance(1_500);
  finish(1);
  await ended;
  expect(health.firstMs(route('a'), 'streamed', clock.now())).toBe(1_500);
});

test('a target that had no time left because another one used it up has not failed', async () => {
  for (let i = 0; i < 3; i++) {
    const { fail, ended } = deliver([route('a'), route('b')], { stream: false });
    const { total } = route('a').timeouts;
    await clock.advance(total);
    fail(0, { kind: 'timeout', upstream: { provider: 'a' } });
    await clock.advance(10_000);
    fail(1, { kind: 'timeout', upstream: { provider: 'b' } });
    expect(await ended).toMatchObject({ kind: 'timeout' });
  }
  expect(health.resting().map(({ provider }) => provider)).toEqual(['a']);
});

test('a count of tokens neither ends a rest nor begins one', async () => {
  const asking = new GatewayError('rate-limited', '', { upstream, retryAfterMs: 60_000 });
  health.begin(route('a'), clock.now(), 'streamed').ended(asking);
  const { finish, ended } = deliver([route('a')], { operation: 'count-tokens', stream: false });
  finish(0);
  await ended;
  expect(health.isOpen(route('a'), clock.now())).toBe(false);
});

test('an attempt comes before other requests once a worker has accepted an earlier one, and a hedge does not', async () => {
  const routes = [route('a'), route('b'), route('c')];
  const { asked, at, fail } = deliver(routes);
  at(0).call.accepted = false;
  fail(0, { kind: 'overloaded' });
  fail(1, { upstream });
  expect(asked.map(({ again }) => again)).toEqual([undefined, undefined, true]);
  const hedged = deliver(routes, { hedgeAfter: 10 });
  await clock.advance(10);
  expect(hedged.asked.map(({ again }) => again)).toEqual([undefined, undefined]);
});

test('of routes that began to rest during a request, one is taken', async () => {
  const targets = ['a', 'b', 'c', 'd'].map(model => ({ ...route('p'), key: 'k', model }));
  const { asked, fail, ended } = deliver(targets);
  const refused = { upstream: { provider: 'p', status: 401 }, refusedKey: true };
  fail(0, refused);
  fail(1, refused);
  expect(await ended).toMatchObject({ kind: 'upstream' });
  expect(asked).toHaveLength(2);
});

test('a retry goes to no model that has refused the request', async () => {
  const fallback = { ...route('f1'), fallback: 'other' };
  const routes = [fallback, { ...fallback, provider: 'f2' }, route('a')];
  const { fail, providers } = deliver(routes, { retries: 1 });
  fail(0, { upstream });
  fail(1, { kind: 'invalid-request' });
  fail(2, { upstream, retryAfterMs: 1_000 });
  await clock.advance(2_000);
  expect(providers()).toEqual(['f1', 'f2', 'a', 'a']);
});

test('the deadline of a request whose own model cannot take it is that of the fallback', () => {
  const fallback = { ...route('b'), fallback: 'other' };
  const { at } = deliver([fallback]);
  const left = (at(0).envelope.endsAt ?? 0) - clock.now();
  expect(left).toBeGreaterThan(fallback.timeouts.total - 1_000);
});

test('the route that answers is announced last', async () => {
  const { fail, finish, ended, announced } = deliver([route('a'), route('b')], { hedgeAfter: 10 });
  await clock.advance(10);
  fail(1, { upstream });
  finish(0);
  await ended;
  expect(announced).toEqual(['a', 'b', 'a']);
});

/** Fallbacks to a model with these routes, and then to none. */
function fallbacksTo(...providers: string[]) {
  const failed = vi.fn();
  const routes = providers.map(provider => ({ ...route(provider), fallback: 'other' }));
  const left = [{ routes, bodies: {} }];
  return { failed, next: async () => left.shift() } as unknown as Fallbacks;
}

test('another model takes over once every route has failed, after an error of the request, too', async () => {
  for (const error of [{ upstream }, { kind: 'invalid-request', code: 'context_length_exceeded' }] as const) {
    const fallbacks = fallbacksTo('c', 'd');
    const { at, fail, finish, ended, providers } = deliver([route('a')], { fallbacks });
    fail(0, error);
    await vi.waitFor(() => expect(providers()).toEqual(['a', 'c']));
    fail(1, { upstream });
    expect(at(2).envelope).toMatchObject({ model: 'm', route: { provider: 'd', fallback: 'other' } });
    finish(2);
    expect(await ended).toBeUndefined();
  }
});

test('if no model answers, the client gets the error of the one that it asked for', async () => {
  const { fail, ended, providers } = deliver([route('a')], { fallbacks: fallbacksTo('c') });
  fail(0, { upstream, kind: 'rate-limited', message: 'Too many requests to a.' });
  await vi.waitFor(() => expect(providers()).toEqual(['a', 'c']));
  fail(1, { upstream });
  expect(await ended).toMatchObject({ kind: 'rate-limited', message: 'Too many requests to a.' });
});

test('no other model is asked once the client has left', async () => {
  const { fail, ended, sink, providers } = deliver([route('a')], { fallbacks: fallbacksTo('c') });
  fail(0, { upstream });
  sink.destroy();
  await ended;
  await new Promise(setImmediate);
  expect(providers()).toEqual(['a']);
});

test('a fallback that cannot serve the request leaves it to the resting targets of its own model', async () => {
  const fallback = { ...route('small'), fallback: 'small' };
  const { fail, finish, ended, providers } = deliver([
    fallback,
    { ...fallback, provider: 'tiny' },
    route('a'),
  ]);
  fail(0, { kind: 'invalid-request', code: 'context_length_exceeded' });
  expect(providers()).toEqual(['small', 'a']);
  finish(1);
  expect(await ended).toBeUndefined();
});
