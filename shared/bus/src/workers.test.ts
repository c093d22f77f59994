import { expect, test } from 'vitest';
import { protocolVersion } from './frame.ts';
import { type Life, lostMs, missedMs, silentMs } from './liveness.ts';
import { type SlotRequest, Workers } from './workers.ts';

const full = { load: 8, capacity: 10, version: protocolVersion };
const [greedy, other] = ['greedy', 'other'].map(token => ({ token, project: token, bytes: 10 })) as [
  SlotRequest,
  SlotRequest,
];

test('a worker without a place for one token is used for others, and probed for that token once a heartbeat', () => {
  const workers = new Workers();
  workers.heard('p', 'w', full, 0);
  expect(workers.take('p', greedy, 0)).toBe('w');
  workers.shareExceeded('w', greedy, 'places', true);
  expect(workers.take('p', greedy, 0)).toBeUndefined();
  expect(workers.take('p', other, 0)).toBe('w');
  workers.heard('p', 'w', full, 1_000);
  expect([workers.take('p', greedy, 1_000), workers.take('p', greedy, 1_000)]).toEqual(['w', undefined]);
});

test('an unreserved place, and an accepted call, end the wait of a refused token', () => {
  const workers = new Workers();
  workers.heard('p', 'w', full, 0);
  workers.shareExceeded('w', greedy, 'places', true);
  workers.heard('p', 'w', { ...full, load: 6 }, 1_000);
  expect([1, 2, 3].map(() => workers.take('p', greedy, 1_000))).toEqual(['w', 'w', undefined]);
  workers.accepted('p', 'w', greedy, true, 1_000);
  expect(workers.take('p', greedy, 1_000)).toBe('w');
});

test('a worker without a place for a project is used for others, and probed once a heartbeat and for each place of its own', () => {
  const workers = new Workers();
  const [one, two] = ['t1', 't2'].map(token => ({ token, project: 'greedy', bytes: 10 })) as [
    SlotRequest,
    SlotRequest,
  ];
  const take = (...requests: SlotRequest[]) => requests.map(request => workers.take('p', request, 0));
  workers.heard('p', 'w', { ...full, load: 5 }, 0);
  workers.shareExceeded('w', one, 'project', false);
  expect([workers.hasRoom('p', 'greedy', 0), workers.hasRoom('p', 'other', 0)]).toEqual([false, true]);
  expect(take(one, two, other)).toEqual([undefined, undefined, 'w']);
  workers.heard('p', 'w', { ...full, load: 5 }, 0);
  expect(take(two, one)).toEqual(['w', undefined]);
  workers.shareExceeded('w', two, 'project', true);
  workers.freed('w', one);
  expect(take(one, two)).toEqual(['w', undefined]);
  workers.accepted('p', 'w', one, true, 0);
  expect(take(one, two)).toEqual(['w', 'w']);
});

test('the load of a worker follows its calls between two heartbeats', () => {
  const workers = new Workers();
  workers.heard('p', 'w', full, 0);
  workers.accepted('p', 'w', other, false, 0);
  expect([1, 2].map(() => workers.take('p', other, 0))).toEqual(['w', undefined]);
  workers.full('w');
  workers.freed('w', other);
  expect([1, 2].map(() => workers.take('p', other, 0))).toEqual(['w', undefined]);
});

test('a worker without room for a body is used for smaller ones of its token, and probed with a large one once a heartbeat', () => {
  const workers = new Workers();
  const [small, large, larger] = [10, 1_000, 2_000].map(bytes => ({
    token: 'greedy',
    project: 'greedy',
    bytes,
  })) as SlotRequest[];
  const take = (now: number, ...calls: (SlotRequest | undefined)[]) =>
    calls.map(slotRequest => workers.take('p', slotRequest as SlotRequest, now));
  workers.heard('p', 'w', { load: 1, capacity: 10, version: protocolVersion }, 0);
  workers.shareExceeded('w', large as SlotRequest, 'bodies', false);
  expect(take(0, large, larger, small, { ...other, bytes: 2_000 })).toEqual([undefined, undefined, 'w', 'w']);
  workers.accepted('p', 'w', small as SlotRequest, true, 0);
  expect(take(0, large)).toEqual([undefined]);
  workers.heard('p', 'w', { load: 1, capacity: 10, version: protocolVersion }, 1_000);
  expect(take(1_000, larger, large)).toEqual(['w', undefined]);
  workers.accepted('p', 'w', larger as SlotRequest, true, 1_000);
  expect(take(1_000, large)).toEqual(['w']);
});

test('an unanswered opening was dropped by a live worker, or lost with a dead one', () => {
  const workers = new Workers();
  const heartbeat = (id: string, at: number, capacity = 10) =>
    workers.heard('p', id, { load: 0, capacity, version: protocolVersion }, at);
  const state = (id: string | undefined, now: number) =>
    workers.stateOf({ pool: 'p', id, openedAt: 500 }, now);
  heartbeat('lost-before', -2_000);
  heartbeat('draining', 0, 0);
  heartbeat('a', 0);
  heartbeat('b', 0);
  heartbeat('b', 2_000);
  const life = workers.lifeOf('a') as Life;
  expect([state('a', 2_600), state('b', 2_600), state(undefined, 2_600)]).toEqual([
    'silent',
    'alive',
    'silent',
  ]);
  life.missed(2_600);
  heartbeat('b', 3_000);
  expect([state('a', 3_100), state('b', 3_100), state(undefined, 3_100)]).toEqual([
    'silent',
    'alive',
    'silent',
  ]);
  heartbeat('a', 3_100);
  expect([state('a', 3_200), state(undefined, 3_200)]).toEqual(['alive', 'alive']);
  life.missed(3_200);
  life.missed(3_200 + missedMs);
  const now = 3_200 + missedMs;
  expect([state('a', now), state(undefined, now), workers.isLost('a', now)]).toEqual(['lost', 'lost', true]);
});

test('an opening that a silent worker does not answer goes elsewhere after 3 s: the worker drops it when it goes on', () => {
  const workers = new Workers();
  for (const id of ['a', 'b']) workers.heard('p', id, { load: 0, capacity: 10, version: protocolVersion }, 0);
  const state = (now: number) => workers.stateOf({ pool: 'p', id: 'a', openedAt: 500 }, now);
  expect([state(2_999), state(silentMs)]).toEqual(['silent', 'alive']);
});

test('a silent worker gets no calls, and while there is one, those of its pool are opened by name', () => {
  const workers = new Workers();
  const hear = (id: string, now: number) => workers.heard('p', id, { ...full, load: 0 }, now);
  hear('a', 0);
  hear('b', 0);
  workers.accepted('p', 'a', other, false, 0);
  hear('b', 2_000);
  workers.noteSilent(2_900);
  expect([workers.hasSilent('p'), workers.take('p', other, 2_900)]).toEqual([false, 'b']);
  workers.noteSilent(silentMs);
  expect([workers.hasSilent('p'), workers.hasSilent('other')]).toEqual([true, false]);
  for (let i = 0; i < 9; i++) expect(workers.take('p', other, silentMs)).toBe('b');
  expect(workers.take('p', other, silentMs)).toBeUndefined();
  expect([workers.isLost('a', 15_000), workers.hasWorker('p', 15_000), workers.any(15_000)]).toEqual([
    ...[false, true, false],
  ]);
  // A frame of an answer is a sign of life.
  workers.spoke('a', 15_000);
  workers.noteSilent(15_000);
  expect([workers.hasSilent('p'), workers.take('p', other, 15_000)]).toEqual([true, 'a']);
  expect([workers.isLost('a', 15_000 + lostMs), workers.isLost('b', 2_000 + lostMs)]).toEqual([true, true]);
  workers.noteSilent(15_000 + lostMs);
  expect([workers.hasSilent('p'), workers.hasWorker('p', 15_000 + lostMs)]).toEqual([false, false]);
});
