import { expect, test } from 'vitest';
import { GatewayError } from './errors.ts';
import { Failures } from './failures.ts';

const failure = (kind: GatewayError['kind'], retryAfterMs?: number) =>
  new GatewayError(kind, kind, retryAfterMs === undefined ? {} : { retryAfterMs });
const unfit = new GatewayError('invalid-request', 'Not in this format.', { notRepresentable: true });

test.each<[string, GatewayError[], GatewayError['kind'], number | undefined]>([
  ['both have one', [failure('rate-limited', 3), failure('overloaded', 60)], 'overloaded', 3],
  ['the second has the shorter', [failure('rate-limited', 60), failure('overloaded', 3)], 'overloaded', 3],
  ['only the first has one', [failure('rate-limited', 3), failure('upstream')], 'upstream', 3],
  ['neither has one', [failure('rate-limited'), failure('upstream')], 'upstream', undefined],
  [
    'the request is invalid',
    [failure('rate-limited', 3), failure('invalid-request')],
    'invalid-request',
    undefined,
  ],
  ['the last one does not fit', [failure('rate-limited', 3), unfit], 'rate-limited', 3],
  ['no route failed', [], 'upstream', undefined],
])('the client gets the last error and the shortest wait: %s', (_, added, kind, retryAfterMs) => {
  const failures = new Failures();
  for (const each of added) failures.add(each);
  expect(failures.error.kind).toBe(kind);
  expect(failures.error.details.retryAfterMs).toBe(retryAfterMs);
});

test('another route may help unless the request is invalid', () => {
  const failures = new Failures();
  expect(failures.add(unfit)).toBe(true);
  expect(failures.add(failure('upstream'))).toBe(true);
  expect(failures.add(failure('invalid-request'))).toBe(false);
});
