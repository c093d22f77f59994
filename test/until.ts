import { setTimeout as sleep } from 'node:timers/promises';

/** The longest wait for something that happens soon, on a busy machine too, in milliseconds. */
const soonMs = 60_000;
/** The pause between two looks, in milliseconds. */
const pauseMs = 50;

/**
 * Calls `look` until it returns something, and returns that. An error of `look` means that it has not happened yet.
 * @throws Error that begins with `what`, with the last error as its cause, after `timeoutMs`
 */
export async function until<T>(
  what: string,
  look: () => T | false | undefined | Promise<T | false | undefined>,
  timeoutMs = soonMs,
): Promise<T> {
  const giveUp = performance.now() + timeoutMs;
  for (let last: unknown; ; await sleep(pauseMs)) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      last = error;
    }
    if (performance.now() > giveUp)
      throw new Error(`${what}: not within ${timeoutMs / 1_000} s`, { cause: last });
  }
}
