import type { UsageEntry } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { JoinedRequests, requestOf } from './attempts.ts';
import { timelineOf } from './timeline.ts';

const start = Date.UTC(2026, 10, 25);
const attempt = (n: number, from: number, more: object = {}) =>
  ({
    ...{
      id: `a${n}`,
      requestId: 'req_1',
      at: new Date(start + from).toISOString(),
      ms: 100,
      firstMs: 40,
      stream: true,
    },
    ...{ provider: 'house', upstreamModel: 'm', outcome: 'answered', error: null, charged: true, cost: 0.1 },
    ...{ usage: { input: 10, output: 5 }, ...more },
  }) as UsageEntry;
const failed = {
  outcome: 'failed',
  error: 'upstream',
  firstMs: null,
  charged: false,
  cost: null,
  usage: null,
};

test('a timeline has the waiting, each attempt with its first token, and its end', () => {
  const attempts = [attempt(1, 50, failed), attempt(2, 200, { provider: 'other' })];
  const { ms, bars } = timelineOf(attempts, { at: start, ms: 310 });
  expect(ms).toBe(310);
  expect(bars).toEqual([
    { label: 'Waiting', kind: 'waiting', from: 0, to: 50, firstAt: null, error: null },
    { label: 'house · m', kind: 'failed', from: 50, to: 150, firstAt: null, error: 'upstream' },
    { label: 'Waiting', kind: 'waiting', from: 150, to: 200, firstAt: null, error: null },
    { label: 'other · m', kind: 'answered', from: 200, to: 300, firstAt: 240, error: null },
  ]);
});

test('a request that runs has its attempt up to now', () => {
  const running = { provider: 'other', upstreamModel: 'm', firstMs: 180 };
  const { bars } = timelineOf([attempt(1, 0, failed)], { at: start, ms: 400, running });
  expect(bars.at(-1)).toMatchObject({
    label: 'other · m',
    kind: 'running',
    from: 100,
    to: 400,
    firstAt: 180,
  });
  const waiting = timelineOf([], { at: start, ms: 30, running: { ...running, provider: null } });
  expect(waiting.bars).toMatchObject([{ label: 'Waiting', kind: 'waiting', from: 0, to: 30 }]);
});

test('attempts are joined to requests, whose outcome is that of the attempt that answered', () => {
  const entries = [attempt(3, 300, { requestId: 'req_2' }), attempt(2, 200), attempt(1, 50, failed)];
  const requests = new JoinedRequests().update(entries);
  expect(requests.map(({ requestId, attempts }) => [requestId, attempts.map(({ id }) => id)])).toEqual([
    ['req_2', ['a3']],
    ['req_1', ['a1', 'a2']],
  ]);
  expect(requests[1]).toMatchObject({ ms: 250, cost: 0.1, input: 10, output: 5, failovers: 1 });
  expect(requestOf([attempt(1, 0, failed)])).toMatchObject({ cost: null, failovers: 0, last: { id: 'a1' } });
});

test('a list that grows has the requests of the whole list, also of one whose attempts are on two pages', () => {
  const ids = ['d', 'c', 'b', 'c', 'a'];
  const entries = ids.map((requestId, place) => attempt(9 - place, (9 - place) * 1_000, { requestId }));
  const growing = new JoinedRequests();
  growing.update(entries.slice(0, 3));
  expect(growing.update(entries)).toEqual(new JoinedRequests().update(entries));
  expect(growing.update(entries).map(({ requestId, attempts }) => [requestId, attempts.length])).toEqual([
    ['d', 1],
    ['c', 2],
    ['b', 1],
    ['a', 1],
  ]);
  // Another list begins anew.
  expect(growing.update(entries.slice(4)).map(({ requestId }) => requestId)).toEqual(['a']);
});
