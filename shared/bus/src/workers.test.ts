import { expect, test } from 'vitest';
import { protocolVersion } from './frame.ts';
import { type Taking, Workers } from './workers.ts';

const full = { load: 8, capacity: 10, version: protocolVersion };
const [greedy, other] = ['greedy', 'other'].map(token => ({ token, bytes: 10 })) as [Taking, Taking];

test('a worker that has no place for one token is asked for others, and by that one once a beat', () => {
  const workers = new Workers();
  workers.heard('p', 'w', full, 0);
  expect(workers.take('p', greedy, 0)).toBe('w');
  workers.keptFrom('w', greedy, false);
  expect(workers.take('p', greedy, 0)).toBeUndefined();
  expect(workers.take('p', other, 0)).toBe('w');
  workers.heard('p', 'w', full, 1_000);
  expect([workers.take('p', greedy, 1_000), workers.take('p', greedy, 1_000)]).toEqual(['w', undefined]);
});

test('a place that any token may take, and one that was given, end the wait', () => {
  const workers = new Workers();
  workers.heard('p', 'w', full, 0);
  workers.keptFrom('w', greedy, false);
  workers.heard('p', 'w', { ...full, load: 6 }, 1_000);
  expect([1, 2, 3].map(() => workers.take('p', greedy, 1_000))).toEqual(['w', 'w', undefined]);
  workers.accepted('p', 'w', greedy, 1_000);
  expect(workers.take('p', greedy, 1_000)).toBe('w');
});

test('a worker that has no room for a body is asked for smaller ones of its token, and for such a one once a beat', () => {
  const workers = new Workers();
  const [small, large, larger] = [10, 1_000, 2_000].map(bytes => ({ token: 'greedy', bytes })) as Taking[];
  const asked = (now: number, ...calls: (Taking | undefined)[]) =>
    calls.map(taking => workers.take('p', taking as Taking, now));
  workers.heard('p', 'w', { load: 1, capacity: 10, version: protocolVersion }, 0);
  workers.keptFrom('w', large as Taking, true);
  expect(asked(0, large, larger, small, { ...other, bytes: 2_000 })).toEqual([
    undefined,
    undefined,
    'w',
    'w',
  ]);
  workers.accepted('p', 'w', small as Taking, 0);
  expect(asked(0, large)).toEqual([undefined]);
  workers.heard('p', 'w', { load: 1, capacity: 10, version: protocolVersion }, 1_000);
  expect(asked(1_000, larger, large)).toEqual(['w', undefined]);
  workers.accepted('p', 'w', larger as Taking, 1_000);
  expect(asked(1_000, large)).toEqual(['w']);
});

test('an opening that nobody answered was dropped by a worker that lives, or lost with one that does not', () => {
  const workers = new Workers();
  const beat = (id: string, at: number, capacity = 10) => workers.heard('p', id, { load: 0, capacity }, at);
  const fate = (id: string | undefined, now: number) => workers.fate({ pool: 'p', id, openedAt: 500 }, now);
  beat('lost-before', -2_000);
  beat('draining', 0, 0);
  beat('a', 0);
  beat('b', 0);
  beat('b', 2_000);
  expect([fate('a', 2_600), fate('b', 2_600), fate(undefined, 2_600)]).toEqual(['silent', 'alive', 'silent']);
  beat('b', 3_000);
  expect([fate('a', 3_100), fate('b', 3_100), fate(undefined, 3_100)]).toEqual(['lost', 'alive', 'lost']);
  beat('a', 3_100);
  expect([fate('a', 3_200), fate(undefined, 3_200)]).toEqual(['alive', 'alive']);
  workers.missed('a', 3_200);
  workers.gone('a');
  expect([fate('a', 3_200), fate(undefined, 3_200), workers.lives('a', 3_200)]).toEqual([
    'lost',
    'lost',
    false,
  ]);
  expect(workers.missing()).toEqual([]);
});
