import type { RunningChangeInfo, RunningInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import {
  ageOf,
  mostEnded,
  newestFirst,
  noRequests,
  withChanges,
  withMissed,
  withRunning,
} from './live-requests.ts';

const end = { status: 200, error: null, endedBy: null, usage: null, cost: null };
const request = (n: number, more: object = {}) =>
  ({ requestId: `req_${n}`, at: new Date(n).toISOString(), ms: 5, state: 'running', ...more }) as RunningInfo;
const change = (n: number, end: RunningChangeInfo['end'] = null, more: object = {}) => ({
  ...{ request: request(n, more), end },
});
const ids = (live: typeof noRequests) => newestFirst(live).map(({ request }) => request.requestId);

test('requests appear, change and end, and a late change does not bring one back', () => {
  const begun = withChanges(noRequests, [change(1), change(2)], 10);
  expect(ids(begun)).toEqual(['req_2', 'req_1']);
  const ended = withChanges(begun, [change(1, null, { state: 'streaming' }), change(1, end)], 20);
  expect(ended.requests.get('req_1')).toMatchObject({ end: { status: 200 }, seenAt: 20 });
  expect(withChanges(ended, [change(1)], 30).requests.get('req_1')?.end).toEqual(end);
});

test('the oldest of those that ended leave the list, and those that run stay', () => {
  const many = Array.from({ length: mostEnded + 5 }, (_, n) => change(n + 10, end));
  const live = withChanges(withChanges(noRequests, [change(1)], 0), many, 0);
  expect(live.requests.size).toBe(mostEnded + 1);
  expect(live.requests.has('req_1')).toBe(true);
  expect(live.requests.has('req_14')).toBe(false);
  expect(live.requests.has('req_15')).toBe(true);
});

test('after a lost connection the list has what runs, what ended before, and what changed since', () => {
  const before = withChanges(noRequests, [change(1), change(2, end), change(3)], 10);
  const since = withChanges(before, [change(4), change(5, end)], 100);
  const live = withRunning(since, [request(3), request(5), request(6)], 50, 110);
  expect(ids(live)).toEqual(['req_6', 'req_5', 'req_4', 'req_3', 'req_2']);
  expect(live.requests.get('req_5')?.end).toEqual(end);
});

test('missed changes are counted', () => {
  expect(withMissed(withMissed(noRequests, 2), 3).missed).toBe(5);
});

test('a request grows older until it ends', () => {
  const running = { request: request(1), end: null, seenAt: 100 };
  expect(ageOf(running, 400)).toBe(305);
  expect(ageOf({ ...running, end }, 400)).toBe(5);
});
