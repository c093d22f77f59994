import type { Timeouts } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test, vi } from 'vitest';
import { AttemptTimers } from './attempt-timers.ts';

function start(timeouts: Timeouts) {
  const clock = new ManualClock();
  const late = vi.fn<(message: string) => void>();
  const timers = new AttemptTimers(timeouts, clock, { late, unmarked() {} });
  return { clock, late, timers };
}

const timeouts = { firstToken: 10_000, idle: 10_000, total: 600_000 };

test.each(['firstToken', 'idle'] as const)(
  'the timeout %s of a worker that stood still expires only if nothing came meanwhile',
  async limit => {
    const { clock, late, timers } = start(timeouts);
    timers.awaitFirst();
    if (limit === 'idle') timers.heard('data');
    await clock.advance(5_000);
    clock.jump(15_000);
    expect(late).not.toHaveBeenCalled();
    // What came is read after the timers have run.
    if (limit === 'idle') timers.heard('data');
    else timers.alive();
    await clock.advance(9_000);
    expect(late).not.toHaveBeenCalled();
    clock.jump(15_000);
    await clock.advance(1_000);
    expect(late).toHaveBeenCalledOnce();
    timers.stop();
  },
);

test('a timeout expires in time in a worker that does not stand still', async () => {
  const { clock, late, timers } = start(timeouts);
  timers.awaitFirst();
  await clock.advance(9_999);
  expect(late).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(late).toHaveBeenCalledOnce();
  timers.stop();
});
