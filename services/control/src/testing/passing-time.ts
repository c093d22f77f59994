import { setTimeout as sleep } from 'node:timers/promises';
import type { ManualClock } from '@model-gateway/clock/testing';

/** The length of a step in which time passes as fast as it does, in milliseconds. */
const paceMs = 5;

/**
 * Lets time pass on a clock of a test until a promise is settled, and returns what it resolves to. By the usual steps no time limit of
 * the product passes sooner than it would without the clock; longer ones are for a wait whose end is a limit.
 */
export async function passing<Value>(
  clock: ManualClock | undefined,
  promise: Promise<Value>,
  stepMs = paceMs,
): Promise<Value> {
  let settled = clock === undefined;
  const settle = () => {
    settled = true;
  };
  const ended = promise.then(settle, settle);
  while (!settled) {
    await Promise.race([ended, sleep(stepMs > paceMs ? 1 : stepMs)]);
    if (!settled) await clock?.advance(stepMs);
  }
  return promise;
}
