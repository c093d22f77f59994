import { isDeepStrictEqual } from 'node:util';
import { parseTokenKey } from '@model-gateway/access';
import type { PublishedBucket } from '@model-gateway/bus';
import type { KvSummary } from '../catalog/versions.ts';
import type { Change } from '../common/change.ts';

/** The buckets that hold what the database does. */
export const buckets = ['access', 'catalog'] as const satisfies PublishedBucket[];

/** The fields of a value in KV that the comparison needs. */
export interface HeldValue {
  version: number;
  revoked?: boolean;
}

/** The contents of KV, by bucket and key. */
export type Held = Record<PublishedBucket, Map<string, HeldValue>>;

/** Returns the changes that make KV hold exactly `wanted`. */
export function difference(held: Held, wanted: Change[]): Change[] {
  const requestedKeys = new Set(wanted.map(({ bucket, key }) => `${bucket} ${key}`));
  const gone = buckets.flatMap(bucket =>
    [...held[bucket].keys()]
      .filter(key => !requestedKeys.has(`${bucket} ${key}`))
      .map(key => ({ bucket, key, value: null })),
  );
  const outdated = wanted.filter(
    ({ bucket, key, value }) => !isDeepStrictEqual(held[bucket].get(key), value),
  );
  return [...outdated, ...gone];
}

/** Summarizes KV. `recorded` was read after KV, so a higher version in KV can only come from another database. */
export function summary(held: Held, recorded: Change[]): KvSummary {
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

/** Returns the current values in the database of those keys in `written` that have changed. */
export function superseded(written: readonly Change[], recorded: Change[]): Change[] {
  const now = new Map(recorded.map(change => [`${change.bucket} ${change.key}`, change]));
  return written.flatMap(({ bucket, key, value }) => {
    const change = now.get(`${bucket} ${key}`) ?? { bucket, key, value: null };
    return change.value?.version === value?.version ? [] : [change];
  });
}
