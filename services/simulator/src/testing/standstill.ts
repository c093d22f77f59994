import { ManualClock } from '@model-gateway/clock/testing';
import { expect, vi } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';

/** Starts a simulator in place of another one, at a time that the test moves. */
export async function atStandstill(
  other: StartedSimulator,
): Promise<{ simulator: StartedSimulator; clock: ManualClock }> {
  await other.close();
  const clock = new ManualClock();
  return { simulator: await startSimulator({ clock }), clock };
}

/** Resolves once so many answers and sessions wait for time to pass. */
export const waiting = (clock: ManualClock, count: number) =>
  vi.waitFor(() => expect(clock.waiting).toBe(count), { interval: 5 });

/** Lets time pass until what waits now goes on, and not before. */
export async function pass(clock: ManualClock, ms: number): Promise<void> {
  const before = clock.waiting;
  await clock.advance(ms - 1);
  expect(clock.waiting).toBe(before);
  await clock.advance(1);
}
