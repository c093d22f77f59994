import { type KV, Kvm } from '@nats-io/kv';
import {
  type Announcement,
  type BucketName,
  bucketStream,
  type ControlHeartbeat,
  healthMs,
  heartbeatKey,
  limitsMs,
} from './bucket.ts';
import { type Bus, jetStream, streamManager } from './connection.ts';
import { announceSubject } from './subjects.ts';

/** The writing side of a bucket. A value never replaces one of a higher version. */
export interface Projection {
  put(key: string, value: { version: number }): Promise<void>;
  /** Publishes a value to the bucket's followers at once, without storing it; `put` must follow. */
  announce(key: string, value: { version: number }): void;
  /** Purges a key. To record a deletion, put a tombstone instead. */
  remove(key: string): Promise<void>;
  keys(): Promise<string[]>;
  /** Returns the id of the control that wrote the heartbeat key last; undefined if it is not known. */
  beatBy(): Promise<string | undefined>;
  /** Writes the heartbeat key. `control` is the id of the control process; `notices` are for the operator. */
  beat(control?: string, notices?: string[]): Promise<void>;
}

/** Opens a bucket for writing, and creates it if needed. `replicas`: the number of NATS servers that store it. */
export async function openProjection(bus: Bus, name: BucketName, replicas = 1): Promise<Projection> {
  return projectionOf(bus, name, await openBucket(bus, name, replicas));
}

/** Opens a bucket that control has created, to write values. @throws Error if it does not exist */
export async function joinProjection(bus: Bus, name: BucketName): Promise<Pick<Projection, 'put'>> {
  return projectionOf(bus, name, await new Kvm(jetStream(bus)).open(name, { allow_direct: true }));
}

/** Publishes a value to a bucket's followers at once, without storing it, and while the bucket has no leader, too. */
export function announceTo(bus: Bus, name: BucketName, key: string, value: { version: number }): void {
  const text = JSON.stringify({ key, value } satisfies Announcement);
  if (bus.connected()) bus.state.publish(announceSubject(name), text);
}

function projectionOf(bus: Bus, name: BucketName, kv: KV): Projection {
  return {
    put: (key, value) => putNewer(kv, key, value),
    announce: (key, value) => announceTo(bus, name, key, value),
    remove: key => kv.purge(key),
    async keys() {
      const found: string[] = [];
      for await (const key of await kv.keys()) if (key !== heartbeatKey) found.push(key);
      return found;
    },
    async beatBy() {
      const entry = await kv.get(heartbeatKey);
      return (entry?.operation === 'PUT' && entry.json<ControlHeartbeat>().control) || undefined;
    },
    async beat(control = '', notices = []) {
      await kv.put(
        heartbeatKey,
        JSON.stringify({ at: bus.clock.now(), notices, control } satisfies ControlHeartbeat),
      );
    },
  };
}

/** Time for which NATS stores the values of a bucket, in milliseconds; forever where absent. */
const lastingMs: Partial<Record<BucketName, number>> = { health: healthMs, limits: limitsMs };

async function openBucket(bus: Bus, name: BucketName, replicas: number): Promise<KV> {
  const ttl = lastingMs[name];
  const kv = await new Kvm(jetStream(bus)).create(name, {
    history: 1,
    replicas,
    ...(ttl !== undefined && { ttl }),
  });
  // `create` leaves an existing bucket unchanged.
  if ((await kv.status()).replicas !== replicas) {
    await (await streamManager(bus)).streams.update(bucketStream(name), { num_replicas: replicas });
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
      // Another writer came between the read and the write: read again.
      if (attempt === 4) throw error;
    }
  }
}
