import { announceTo, type Bus, joinProjection, watchBucket } from '@model-gateway/bus';
import { parseRestKey, type Rest, readRest, restKey } from '@model-gateway/catalog';
import type { TargetHealth } from './target-health.ts';

/** Time between attempts to open the bucket, and between two writes of what could not be written, in milliseconds. */
const retryMs = 1_000;

/** The longest time that a process waits for the rests of the others when it starts, in milliseconds. */
const firstReadMs = 1_000;
/** The most rests that wait to be written. */
const maxUnwritten = 10_000;
/**
 * The most targets whose rests a process shares in an hour. With a `*`, clients choose the names of targets, and NATS and every
 * process keep each of them for two hours. Rests of further ones are known to this process alone.
 */
export const sharedPerHour = 1_000;
const hourMs = 3_600_000;

/**
 * Shares the rests of targets with the other processes through the bucket `health`, until `signal` aborts. Resolves once
 * those of the others are known, or after a second.
 */
export async function shareHealth(bus: Bus, health: TargetHealth, signal: AbortSignal): Promise<void> {
  const reader = {
    put(_: string, value: unknown) {
      const rest = readRest(value);
      if (rest) health.read(rest);
    },
    remove: (key: string) => health.forget(parseRestKey(key)),
  };
  const following = follow(bus, reader, signal);
  /** The last state of each rest that is not in the bucket yet. */
  const unwritten = new Map<string, Rest>();
  let writing = false;
  const write = async () => {
    writing = true;
    while (unwritten.size > 0 && !signal.aborted) {
      try {
        await writeAll(bus, unwritten);
      } catch {
        await bus.clock.sleep(retryMs, { ref: false });
      }
    }
    writing = false;
  };
  const shared = new SharedTargets();
  health.onRest = rest => {
    const key = restKey(rest);
    if (!shared.take(key, bus.clock.now())) return;
    announceTo(bus, 'health', key, rest);
    unwritten.set(key, rest);
    const [oldest] = unwritten.keys();
    if (unwritten.size > maxUnwritten && oldest !== undefined) unwritten.delete(oldest);
    if (!writing) void write();
  };
  await Promise.race([following, bus.clock.sleep(firstReadMs, { ref: false })]);
}

/** The targets whose rests this process has shared in this hour. */
export class SharedTargets {
  readonly #keys = new Set<string>();
  #since = 0;

  /** True if the rests of a target may be shared. `now` is in milliseconds. */
  take(key: string, now: number): boolean {
    if (now - this.#since >= hourMs) {
      this.#keys.clear();
      this.#since = now;
    }
    if (!this.#keys.has(key) && this.#keys.size >= sharedPerHour) return false;
    this.#keys.add(key);
    return true;
  }
}

/** Follows the bucket. A control of the previous version does not make it, and then this process knows only its own rests. */
async function follow(
  bus: Bus,
  reader: Parameters<typeof watchBucket>[2],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const watch = await watchBucket(bus, 'health', reader);
      if (signal.aborted) watch.stop();
      signal.addEventListener('abort', () => watch.stop(), { once: true });
      return;
    } catch {
      await bus.clock.sleep(retryMs, { ref: false });
    }
  }
}

async function writeAll(bus: Bus, unwritten: Map<string, Rest>): Promise<void> {
  const bucket = await joinProjection(bus, 'health');
  const written = [...unwritten].map(async ([key, rest]) => {
    await bucket.put(key, rest);
    if (unwritten.get(key) === rest) unwritten.delete(key);
  });
  const results = await Promise.allSettled(written);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
