import { expect, test, vi } from 'vitest';
import type { ClientSession } from './client-session.ts';
import { Sessions } from './sessions.ts';

const limits = { lastsMs: 60_000, idleMs: 60_000, graceMs: 50, queueMs: 1_000, sessions: 1 };

test('a reserved place counts against the limit until it is released', () => {
  const sessions = new Sessions(limits);
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
  const sessions = new Sessions(limits);
  const release = sessions.reserve();
  const drained = vi.fn();
  void sessions.drain(new AbortController().signal).then(drained);
  await new Promise(resolve => setTimeout(resolve, 2 * limits.graceMs));
  expect(drained).not.toHaveBeenCalled();
  const end = vi.fn(() => sessions.delete(session));
  const session = { end, check: () => {} } as unknown as ClientSession;
  sessions.add(session);
  release();
  await vi.waitFor(() => expect(end).toHaveBeenCalled());
  await vi.waitFor(() => expect(drained).toHaveBeenCalled());
  expect(() => sessions.reserve()).toThrow('shutting down');
  sessions.close();
});

test('sessions are checked while any is open, and no timer runs otherwise', () => {
  vi.useFakeTimers();
  const sessions = new Sessions({ ...limits, sessions: 2 });
  const check = vi.fn();
  const session = { check, end: () => {} } as unknown as ClientSession;
  expect(vi.getTimerCount()).toBe(0);
  for (const _ of [1, 2]) {
    sessions.add(session);
    vi.advanceTimersByTime(1_000);
    sessions.delete(session);
    expect(vi.getTimerCount()).toBe(0);
  }
  expect(check).toHaveBeenCalledTimes(4);
  sessions.close();
  vi.useRealTimers();
});
