import { type KV, Kvm } from '@nats-io/kv';
import {
  type Announcement,
  type BucketName,
  bucketStream,
  type ControlBeat,
  heartbeatKey,
} from './bucket.ts';
import type { Bus } from './connection.ts';
import { jetStream, streams } from './jet-stream.ts';
import { announceSubject } from './subjects.ts';

/** Control's side of a bucket. A value never replaces one of a higher version. */
export interface Projection {
  put(key: string, value: { version: number }): Promise<void>;
  /** Tells whoever follows the bucket of a value at once; `put` must follow, since nothing keeps this. */
  announce(key: string, value: { version: number }): void;
  /** Removes a key for good; for what must be remembered as gone, put a tombstone. */
  remove(key: string): Promise<void>;
  keys(): Promise<string[]>;
  /** Writes the beat key, with what an operator should know. `control` tells one control from another. */
  beat(control?: string, notices?: string[]): Promise<void>;
}

/** Opens a bucket to write to it, and makes it where there is none. `replicas`: on how many NATS servers it is kept. */
export async function openProjection(bus: Bus, name: BucketName, replicas = 1): Promise<Projection> {
  const kv = await openBucket(bus, name, replicas);
  return {
    put: (key, value) => putNewer(kv, key, value),
    announce(key, value) {
      const text = JSON.stringify({ key, value } satisfies Announcement);
      if (bus.connected()) bus.state.publish(announceSubject(name), text);
    },
    remove: key => kv.purge(key),
    async keys() {
      const found: string[] = [];
      for await (const key of await kv.keys()) if (key !== heartbeatKey) found.push(key);
      return found;
    },
    async beat(control = '', notices = []) {
      await kv.put(heartbeatKey, JSON.stringify({ at: Date.now(), notices, control } satisfies ControlBeat));
    },
  };
}

async function openBucket(bus: Bus, name: BucketName, replicas: number): Promise<KV> {
  const kv = await new Kvm(jetStream(bus)).create(name, { history: 1, replicas });
  // `create` takes a bucket that is there as it is.
  if ((await kv.status()).replicas !== replicas) {
    await (await streams(bus)).streams.update(bucketStream(name), { num_replicas: replicas });
  }
  return kv;
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
