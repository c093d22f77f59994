import { announceTo, type Bus, joinProjection, watchBucket } from '@model-gateway/bus';
import { parseRestKey, readRest, restKey } from '@model-gateway/catalog';
import { type RecentOutputs, readUsualOutput, usualOutputKey } from '../costs/recent-outputs.ts';
import type { TargetHealth } from './target-health.ts';

/** Time between attempts to open the bucket, and between two writes of what could not be written, in milliseconds. */
const retryMs = 1_000;

/** The longest time that a process waits for the rests of the others when it starts, in milliseconds. */
const firstReadMs = 1_000;
/** The most values that wait to be written. */
const maxUnwritten = 10_000;
/**
 * The most targets whose rests a process shares in an hour, and the most models whose usual outputs. With a `*`, clients choose their names, and
 * NATS and every process keep each of them for two hours. What is known of further ones is known to this process alone.
 */
export const sharedPerHour = 1_000;
const hourMs = 3_600_000;

/** A value of the bucket: a rest or a usual output. */
interface Shared {
  version: number;
}

/**
 * Shares the rests of targets and the usual outputs of models with the other processes through the bucket `health`, until `signal` aborts.
 * Resolves once those of the others are known, or after a second.
 */
export async function shareHealth(
  bus: Bus,
  health: TargetHealth,
  outputs: RecentOutputs,
  signal: AbortSignal,
): Promise<void> {
  const reader = {
    put(_: string, value: unknown) {
      const rest = readRest(value);
      if (rest) return health.read(rest);
      const usual = readUsualOutput(value);
      if (usual) outputs.read(usual);
    },
    remove: (key: string) => health.forget(parseRestKey(key)),
  };
  const following = follow(bus, reader, signal);
  /** The last of each value that is not in the bucket yet, by its key. */
  const unwritten = new Map<string, Shared>();
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
  const share = (names: SharedNames, key: string, value: Shared) => {
    if (!names.take(key, bus.clock.now())) return;
    announceTo(bus, 'health', key, value);
    unwritten.set(key, value);
    const [oldest] = unwritten.keys();
    if (unwritten.size > maxUnwritten && oldest !== undefined) unwritten.delete(oldest);
    if (!writing) void write();
  };
  const [targets, models] = [new SharedNames(), new SharedNames()];
  health.onRest = rest => share(targets, restKey(rest), rest);
  outputs.onUsual = usual => share(models, usualOutputKey(usual), usual);
  await Promise.race([following, bus.clock.sleep(firstReadMs, { ref: false })]);
}

/** The targets, or the models, of which this process has told the others in this hour. */
export class SharedNames {
  readonly #keys = new Set<string>();
  #since = 0;

  /** True if the others may be told of it. `now` is in milliseconds. */
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

/** Follows the bucket once control has made it. Until then this process knows only its own rests. */
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

async function writeAll(bus: Bus, unwritten: Map<string, Shared>): Promise<void> {
  const bucket = await joinProjection(bus, 'health');
  const written = [...unwritten].map(async ([key, value]) => {
    await bucket.put(key, value);
    if (unwritten.get(key) === value) unwritten.delete(key);
  });
  const results = await Promise.allSettled(written);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
