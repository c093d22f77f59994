import { isDeepStrictEqual } from 'node:util';
import { parseTokenKey } from '@model-gateway/access';
import type { BucketName } from '@model-gateway/bus';
import type { Change } from './change.ts';
import type { Seen } from './versions.ts';

export const buckets = ['access', 'catalog'] as const satisfies BucketName[];

/** A value in KV, as far as it matters whose it is. */
export interface HeldValue {
  version: number;
  revoked?: boolean;
}

/** What KV holds, by bucket and key. */
export type Held = Record<BucketName, Map<string, HeldValue>>;

/** What must be written so that KV holds what is wanted and nothing else. */
export function difference(held: Held, wanted: Change[]): Change[] {
  const kept = new Set(wanted.map(({ bucket, key }) => `${bucket} ${key}`));
  const gone = buckets.flatMap(bucket =>
    [...held[bucket].keys()]
      .filter(key => !kept.has(`${bucket} ${key}`))
      .map(key => ({ bucket, key, value: null })),
  );
  const late = wanted.filter(({ bucket, key, value }) => !isDeepStrictEqual(held[bucket].get(key), value));
  return [...late, ...gone];
}

/** `recorded`: what the record held after KV was read. A version of KV can be higher only if it is that of another record. */
export function summary(held: Held, recorded: Change[]): Seen {
  const { access, catalog } = held;
  const entries = [...access.values(), ...catalog.values()];
  const revoked = [...access].filter(([, entry]) => entry.revoked).map(([key]) => parseTokenKey(key));
  return {
    highest: entries.reduce((highest, { version }) => Math.max(highest, version), 0),
    ahead: recorded.some(
      ({ bucket, key, value }) => value && (held[bucket].get(key)?.version ?? 0) > value.version,
    ),
    revoked: revoked.filter(hash => hash !== undefined),
  };
}

/** What the record says now of the keys of `written`, where it says something else. */
export function superseded(written: readonly Change[], recorded: Change[]): Change[] {
  const now = new Map(recorded.map(change => [`${change.bucket} ${change.key}`, change]));
  return written.flatMap(({ bucket, key, value }) => {
    const change = now.get(`${bucket} ${key}`) ?? { bucket, key, value: null };
    return change.value?.version === value?.version ? [] : [change];
  });
}
