import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test, vi } from 'vitest';
import { RefusalLog, refusalLogMs } from './refusal-log.ts';

test('a refused address is logged at once, then once a minute with a count, until it stops', async () => {
  const warn = vi.fn();
  const clock = new ManualClock();
  const log = new RefusalLog({ warn }, clock);
  const counts = (client: string) =>
    warn.mock.calls.flatMap(([line]) => (line.client === client ? [line.count] : []));
  log.refused('address', '192.0.2.1');
  await clock.advance(refusalLogMs * 0.9);
  for (let i = 0; i < 500; i++) log.refused('address', '192.0.2.1');
  log.refused('address', '192.0.2.2');
  expect([counts('192.0.2.1'), counts('192.0.2.2')]).toEqual([[1], [1]]);
  log.refused('address', '192.0.2.2');
  await clock.advance(refusalLogMs * 0.2);
  expect([counts('192.0.2.1'), counts('192.0.2.2')]).toEqual([[1, 500], [1]]);
  await clock.advance(refusalLogMs * 5);
  expect([counts('192.0.2.1'), counts('192.0.2.2')]).toEqual([
    [1, 500],
    [1, 1],
  ]);
  expect(clock.waiting).toBe(0);
});

test('addresses over the maximum share one log line', async () => {
  const warn = vi.fn();
  const clock = new ManualClock();
  const log = new RefusalLog({ warn }, clock);
  for (let i = 0; i < 5_000; i++) log.refused('address', `10.0.${i >> 8}.${i & 255}`);
  expect(warn).toHaveBeenCalledTimes(1_001);
  await clock.advance(refusalLogMs * 2);
  expect(warn).toHaveBeenLastCalledWith(
    { client: 'others', limit: 'address', count: 3_999 },
    expect.any(String),
  );
});
