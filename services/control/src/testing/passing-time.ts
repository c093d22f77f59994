import type { ManualClock } from '@model-gateway/clock/testing';

/**
 * Lets time pass on a clock of a test until a promise is settled, and returns what it resolves to. By steps of 1 ms no time limit of the
 * product passes sooner than it would without the clock; longer ones are for a wait whose end is a limit.
 */
export async function passing<Value>(
  clock: ManualClock | undefined,
  promise: Promise<Value>,
  stepMs = 1,
): Promise<Value> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  await clock?.advanceUntil(() => settled, { stepMs, mostMs: Number.POSITIVE_INFINITY });
  return promise;
}
