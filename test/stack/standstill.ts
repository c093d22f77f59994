import { vi } from 'vitest';

/** Resolves with a count once it is above 0 and has not grown between two looks. */
export async function standstill(count: () => number): Promise<number> {
  let before = 0;
  const look = () => {
    const now = count();
    if (now === 0 || now !== before) {
      before = now;
      throw new Error(`it grows still: ${now}`);
    }
  };
  await vi.waitFor(look, { timeout: 60_000, interval: 400 });
  return before;
}
