import { expect, test } from 'vitest';
import { Workers } from './workers.ts';

const full = { load: 8, capacity: 10 };

test('a worker that has no place for one token is asked for others, and by that one once a beat', () => {
  const workers = new Workers();
  workers.heard('p', 'w', full, 0);
  expect(workers.take('p', 'greedy', 0)).toBe('w');
  workers.keptFrom('w', 'greedy');
  expect(workers.take('p', 'greedy', 0)).toBeUndefined();
  expect(workers.take('p', 'other', 0)).toBe('w');
  workers.heard('p', 'w', full, 1_000);
  expect([workers.take('p', 'greedy', 1_000), workers.take('p', 'greedy', 1_000)]).toEqual(['w', undefined]);
});

test('a place that any token may take, and one that was given, end the wait', () => {
  const workers = new Workers();
  workers.heard('p', 'w', full, 0);
  workers.keptFrom('w', 'greedy');
  workers.heard('p', 'w', { ...full, load: 6 }, 1_000);
  expect([1, 2, 3].map(() => workers.take('p', 'greedy', 1_000))).toEqual(['w', 'w', undefined]);
  workers.accepted('p', 'w', 'greedy', 1_000);
  expect(workers.take('p', 'greedy', 1_000)).toBe('w');
});
