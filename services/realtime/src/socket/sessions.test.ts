import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test, vi } from 'vitest';
import type { ClientSession } from './client-session.ts';
import { Sessions } from './sessions.ts';

const limits = { lastsMs: 60_000, idleMs: 60_000, graceMs: 50, queueMs: 1_000, sessions: 1 };

test('a reserved place counts against the limit until it is released', () => {
  const sessions = new Sessions(limits, new ManualClock());
  const release = sessions.reserve();
  expect(() => sessions.reserve()).toThrow('Too many sessions');
  release();
  release();
  const again = sessions.reserve();
  expect(() => sessions.reserve()).toThrow('Too many sessions');
  again();
  sessions.close();
});

test('a drain waits for a session that is opening, and ends it once the grace period is over', async () => {
  const clock = new ManualClock();
  const sessions = new Sessions(limits, clock);
  const release = sessions.reserve();
  const drained = vi.fn();
  void sessions.drain(new AbortController().signal).then(drained);
  await clock.advance(2 * limits.graceMs);
  expect(drained).not.toHaveBeenCalled();
  const end = vi.fn(() => sessions.delete(session));
  const session = { end, check: () => {} } as unknown as ClientSession;
  sessions.add(session);
  release();
  await clock.advance(500);
  expect(end).toHaveBeenCalledOnce();
  expect(drained).toHaveBeenCalledOnce();
  expect(() => sessions.reserve()).toThrow('shutting down');
  sessions.close();
});

test('sessions are checked while any is open, and no timer runs otherwise', async () => {
  const clock = new ManualClock();
  const sessions = new Sessions({ ...limits, sessions: 2 }, clock);
  const check = vi.fn();
  const session = { check, end: () => {} } as unknown as ClientSession;
  expect(clock.waiting).toBe(0);
  for (const _ of [1, 2]) {
    sessions.add(session);
    await clock.advance(1_000);
    sessions.delete(session);
    expect(clock.waiting).toBe(0);
  }
  expect(check).toHaveBeenCalledTimes(4);
  sessions.close();
});
