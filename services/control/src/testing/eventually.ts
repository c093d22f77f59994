import type { ManualClock } from '@model-gateway/clock/testing';
import { vi } from 'vitest';

/** Lets time pass on a clock of a test until a check does not fail any more. */
export function eventually(clock: ManualClock, check: () => unknown): Promise<void> {
  return vi.waitFor(async () => {
    await clock.advance(200);
    await check();
  });
}
