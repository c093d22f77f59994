/** The KV buckets through which control publishes its data to all processes. */
export type PublishedBucket = 'access' | 'catalog';

/**
 * The KV buckets that control makes. To `health`, each ingress writes which targets rest and how long models' answers are; in `limits`, the one
 * that counts limits holds its lease and stores what was spent of budgets.
 */
export type BucketName = PublishedBucket | 'health' | 'limits';

/** Time for which NATS stores a value of the bucket `health`, in milliseconds: longer than any rest. */
export const healthMs = 2 * 3_600_000;

/** Time for which NATS stores a value of the bucket `limits`, in milliseconds: longer than the ledger may be away. */
export const limitsMs = 7 * 24 * 3_600_000;

/** A key that control writes each second, so that a bucket is never empty and its watch is known to be alive. */
export const heartbeatKey = 'beat';

/** The value of {@link heartbeatKey}. */
export interface ControlHeartbeat {
  /** Milliseconds since 1970. */
  at: number;
  /** Messages for the operator, one sentence each. */
  notices: string[];
  /** The id of the control process. */
  control: string;
}

/** The stream behind a bucket. */
export const bucketStream = (name: BucketName) => `KV_${name}`;

/** A change of a bucket, published before its write, so that it arrives even while the bucket has no leader. */
export interface Announcement {
  key: string;
  value: { version: number };
}
