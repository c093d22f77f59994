import { jetstream } from '@nats-io/jetstream';
import { type KV, type KvEntry, Kvm } from '@nats-io/kv';
import type { Bus } from './connection.ts';

/** The buckets through which control tells the fleet what it knows. */
export type BucketName = 'access' | 'catalog';

/** A key that control writes each second: it makes a bucket never empty, and shows that its watch is alive. */
export const beatKey = 'beat';

/** Control's side of a bucket. A value never replaces one of a higher version. */
export interface Projection {
  put(key: string, value: { version: number }): Promise<void>;
  /** Removes a key for good; for what must be remembered as gone, put a tombstone. */
  remove(key: string): Promise<void>;
  keys(): Promise<string[]>;
  /** Writes the beat key, with what an operator should know. */
  beat(notices?: string[]): Promise<void>;
}

export async function openProjection(bus: Bus, name: BucketName, replicas = 1): Promise<Projection> {
  const kv = await new Kvm(jetstream(bus.state)).create(name, { history: 1, replicas });
  return {
    put: (key, value) => putNewer(kv, key, value),
    remove: key => kv.purge(key),
    async keys() {
      const found: string[] = [];
      for await (const key of await kv.keys()) if (key !== beatKey) found.push(key);
      return found;
    },
    async beat(notices = []) {
      await kv.put(beatKey, JSON.stringify({ at: Date.now(), notices }));
    },
  };
}

async function putNewer(kv: KV, key: string, value: { version: number }): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const current = await kv.get(key);
    if (current?.operation === 'PUT' && current.json<{ version: number }>().version > value.version) return;
    try {
      const text = JSON.stringify(value);
      if (current) await kv.update(key, text, current.revision);
      else await kv.create(key, text);
      return;
    } catch (error) {
      // Another writer came between the read and the write: look again.
      if (attempt === 4) throw error;
    }
  }
}

/** What a reader does with a bucket's entries, first all that are there, then each change as it comes. */
export interface BucketReader {
  put(key: string, value: unknown): void;
  remove(key: string): void;
  /** Control lives; `notices` is what an operator should know of it, in a sentence each. */
  beat?(notices: string[]): void;
}

export interface BucketWatch {
  /** Milliseconds since anything was heard of the bucket. */
  silence(): number;
  stop(): void;
}

/**
 * Feeds `reader` from a bucket, and resolves once it has had every entry that was there at the start.
 * Waits for control to make the bucket, up to `timeoutMs`.
 */
export async function watchBucket(
  bus: Bus,
  name: BucketName,
  reader: BucketReader,
  timeoutMs = 30_000,
): Promise<BucketWatch> {
  const watch = await openWatch(bus, name, Date.now() + timeoutMs);
  let heard = Date.now();
  const loaded = Promise.withResolvers<void>();
  const timer = setTimeout(() => loaded.reject(new Error(`the ${name} bucket did not load`)), timeoutMs);
  const read = async () => {
    for await (const entry of watch) {
      heard = Date.now();
      apply(entry, reader);
      if (entry.delta === 0) loaded.resolve();
    }
  };
  read().catch(loaded.reject);
  await loaded.promise.finally(() => clearTimeout(timer));
  return { silence: () => Date.now() - heard, stop: () => watch.stop() };
}

function apply(entry: KvEntry, reader: BucketReader): void {
  try {
    if (entry.key === beatKey) reader.beat?.(entry.json<{ notices: string[] }>().notices);
    else if (entry.operation === 'PUT') reader.put(entry.key, entry.json());
    else reader.remove(entry.key);
  } catch {
    // One entry that cannot be read must not hide those after it.
  }
}

async function openWatch(bus: Bus, name: BucketName, deadline: number) {
  for (;;) {
    try {
      const kv = await new Kvm(jetstream(bus.state)).open(name);
      return await kv.watch();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  }
}
