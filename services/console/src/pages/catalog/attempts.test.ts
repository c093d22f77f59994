import { expect, test } from 'vitest';
import { factsBy, factsOf } from './attempts.ts';

const answered = (firstMs: number | null) => ({ outcome: 'answered', firstMs });

test('attempts are summed up: failures, and the times of those that were answered', () => {
  const attempts = [
    ...[300, 100, 200, 400].map(answered),
    answered(null),
    { outcome: 'failed', firstMs: 9_000 },
    { outcome: 'lost', firstMs: null },
    { outcome: 'cancelled', firstMs: null },
  ];
  expect(factsOf(attempts)).toEqual({ attempts: 8, failed: 2, firstMs: { median: 200, p95: 400 } });
  expect(factsOf([])).toEqual({ attempts: 0, failed: 0, firstMs: null });
});

test('attempts are summed up by a key', () => {
  const attempts = [
    { ...answered(10), provider: 'a' },
    { ...answered(20), provider: 'b' },
    { outcome: 'failed', firstMs: null, provider: 'b' },
  ];
  expect([...factsBy(attempts, ({ provider }) => provider)]).toEqual([
    ['a', { attempts: 1, failed: 0, firstMs: { median: 10, p95: 10 } }],
    ['b', { attempts: 2, failed: 1, firstMs: { median: 20, p95: 20 } }],
  ]);
});
