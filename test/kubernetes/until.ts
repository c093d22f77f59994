import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `ask` four times a second until it returns something other than undefined, and returns that.
 * @throws Error that begins with `what` and ends with the last error, after `timeoutMs`
 */
export async function until<T>(
  what: string,
  timeoutMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const giveUp = Date.now() + timeoutMs;
  for (let last: unknown; ; await sleep(250)) {
    try {
      const found = await ask();
      if (found !== undefined) return found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > giveUp) throw new Error(`${what}: not within ${timeoutMs / 1_000} s`, { cause: last });
  }
}
