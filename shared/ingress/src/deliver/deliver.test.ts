import { GatewayError, type GenerateEvent } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { deliverOver, route, startHealth } from '../testing/deliver-over.ts';

test('routes are taken in turn until one answers; a call serves one', async () => {
  const { providers, at, fail, finish, ended, sink, release } = deliverOver([
    route('a'),
    route('b'),
    route('c'),
  ]);
  fail(0);
  expect(release).not.toHaveBeenCalled();
  finish(1);
  expect(await ended).toBeUndefined();
  expect(providers()).toEqual(['a', 'b']);
  expect(at(1).envelope.route).toMatchObject({ provider: 'b', model: 'up' });
  expect(sink.text).toBe('Hi');
  expect(release).toHaveBeenCalled();
});

test('the client gets the last error, or one that no other route can help against', async () => {
  const all = deliverOver([route('a'), route('b')]);
  all.fail(0, { retryAfterMs: 3_000 });
  all.fail(1, { kind: 'overloaded', retryAfterMs: 9_000 });
  expect(await all.ended).toMatchObject({ kind: 'overloaded', details: { retryAfterMs: 3_000 } });
  const invalid = deliverOver([route('a'), route('b')]);
  invalid.fail(0, { kind: 'invalid-request' });
  expect(await invalid.ended).toMatchObject({ kind: 'invalid-request' });
  expect(invalid.asked).toHaveLength(1);
});

test('no route is taken after the response has begun', async () => {
  const { at, fail, ended, sink, asked } = deliverOver([route('a'), route('b')]);
  at(0).onEvents([{ type: 'verbatim', bytes: Buffer.from('H') }], 0);
  fail(0);
  expect(await ended).toMatchObject({ message: 'No 0.' });
  expect([sink.text, asked.length]).toEqual(['Herror: No 0.', 1]);
});

test('a route whose worker is lost is taken once more; later routes have fewer workers to lose', () => {
  const { at, fail, asked, providers } = deliverOver([route('a'), route('b')]);
  at(0).call.losses = 1;
  at(0).onLost?.();
  expect(providers()).toEqual(['a', 'a']);
  expect(asked.map(({ lossesLeft }) => lossesLeft)).toEqual([2, 1]);
  fail(1);
  expect(at(2)).toMatchObject({ lossesLeft: 1, envelope: { route: { provider: 'b' } } });
});

test('another route is taken after a lost worker whose part of a whole answer was not shown', async () => {
  const { at, fail, finish, ended, sink, providers } = deliverOver([route('a'), route('b')], {
    stream: false,
  });
  at(0).onEvents([{ type: 'start', id: 'x', model: 'up' }], 0);
  at(0).call.losses = 1;
  at(0).onLost?.();
  fail(1);
  finish(2);
  expect(await ended).toBeUndefined();
  expect(providers()).toEqual(['a', 'a', 'b']);
  expect(sink.text).toBe('Hi');
});

test('a request that has lost its workers is charged for the last attempt', async () => {
  const { fail, ended, left } = deliverOver([route('a'), route('b')]);
  fail(0);
  expect(left).not.toHaveBeenCalled();
  fail(1, { lostWorkers: true });
  expect(await ended).toMatchObject({ details: { lostWorkers: true } });
  expect(left.mock.calls).toMatchObject([[{ route: { provider: 'b' } }]]);
});

test('no other route is taken if a worker fails amid a whole answer, since it was charged', async () => {
  const { at, fail, ended, asked } = deliverOver([route('a'), route('b')], { stream: false });
  at(0).onEvents([{ type: 'start', id: 'x', model: 'up' }], 0);
  fail(0);
  expect(await ended).toMatchObject({ message: 'No 0.' });
  expect(asked).toHaveLength(1);
});

test('all calls of a request have one time to queue and one deadline', async () => {
  const { clock, health } = startHealth();
  const { at, fail, ended, asked } = deliverOver([route('a'), route('b'), route('c')], {}, health);
  const begun = clock.now();
  expect(at(0)).toMatchObject({ queueUntil: begun + 10_000, envelope: { endsAt: begun + 70_000 } });
  at(0).call.queuedMs = 4_000;
  await clock.advance(30_000);
  fail(0);
  expect(at(1)).toMatchObject({ queueUntil: begun + 36_000, envelope: { endsAt: begun + 70_000 } });
  await clock.advance(40_000);
  fail(1, { kind: 'timeout' });
  expect(await ended).toMatchObject({ kind: 'timeout' });
  expect(asked).toHaveLength(2);
});

test('a count is estimated if no route answers', async () => {
  const bytes = Buffer.from('{"tokens":3}');
  const whole = { status: 200, mediaType: 'application/json', length: bytes.length };
  const estimate = async (): Promise<GenerateEvent[]> => [
    { type: 'verbatim', bytes, whole },
    { type: 'finish', reason: 'stop', raw: null, usage: null },
  ];
  const { fail, ended, sink } = deliverOver([route('a')], { stream: false, estimate });
  fail(0);
  expect(await ended).toBeUndefined();
  expect([sink.statusCode, sink.text]).toEqual([200, '{"tokens":3}']);
});

const stopping = new GatewayError('overloaded', 'The gateway is shutting down.');
const spent = new GatewayError('quota-exceeded', 'The budget of this token is spent.');
const again = ({ kind }: GatewayError) => kind === 'overloaded';

test.each([
  ['a whole answer at a shutdown, since the client got nothing', stopping, { stream: false }, false, true],
  ['a stream at a shutdown that has not begun', stopping, {}, false, true],
  ['a stream at a shutdown of which the client got a part', stopping, {}, true, false],
  ['a stream at a shutdown that is made again', stopping, { again }, true, true],
  ['a stream that is not made again, since a budget is spent', spent, { again }, true, false],
  ['a stream that has not begun when its token is revoked', spent, {}, false, false],
])(
  'of the attempts of a request, those of %s are given up or left',
  async (_, error, options, begun, isGivenUp) => {
    const admitted = { endForRevocation: (_: GatewayError) => {} };
    const { at, ended, left } = deliverOver([route('a')], options, undefined, { admitted });
    if (begun) at(0).onEvents([{ type: 'verbatim', bytes: Buffer.from('H') }], 0);
    admitted.endForRevocation(error);
    expect(await ended).toBe(error);
    const { cancel, giveUp } = at(0).call;
    expect(cancel).toHaveBeenCalledTimes(isGivenUp ? 0 : 1);
    expect(giveUp).toHaveBeenCalledTimes(isGivenUp ? 1 : 0);
    expect(left).toHaveBeenCalledTimes(isGivenUp ? 0 : 1);
  },
);
