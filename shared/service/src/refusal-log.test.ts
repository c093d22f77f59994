import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RefusalLog, refusalLogMs } from './refusal-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a refused address is logged at once, then once a minute with a count, until it stops', () => {
  const warn = vi.fn();
  const log = new RefusalLog({ warn });
  const counts = (client: string) =>
    warn.mock.calls.flatMap(([line]) => (line.client === client ? [line.count] : []));
  log.refused('address', '192.0.2.1');
  vi.advanceTimersByTime(refusalLogMs * 0.9);
  for (let i = 0; i < 500; i++) log.refused('address', '192.0.2.1');
  log.refused('address', '192.0.2.2');
  expect([counts('192.0.2.1'), counts('192.0.2.2')]).toEqual([[1], [1]]);
  log.refused('address', '192.0.2.2');
  vi.advanceTimersByTime(refusalLogMs * 0.2);
  expect([counts('192.0.2.1'), counts('192.0.2.2')]).toEqual([[1, 500], [1]]);
  vi.advanceTimersByTime(refusalLogMs * 5);
  expect([counts('192.0.2.1'), counts('192.0.2.2')]).toEqual([
    [1, 500],
    [1, 1],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

test('addresses over the maximum share one log line', () => {
  const warn = vi.fn();
  const log = new RefusalLog({ warn });
  for (let i = 0; i < 5_000; i++) log.refused('address', `10.0.${i >> 8}.${i & 255}`);
  expect(warn).toHaveBeenCalledTimes(1_001);
  vi.advanceTimersByTime(refusalLogMs * 2);
  expect(warn).toHaveBeenLastCalledWith(
    { client: 'others', limit: 'address', count: 3_999 },
    expect.any(String),
  );
});
