/** The buckets through which control tells the fleet what it knows. */
export type BucketName = 'access' | 'catalog';

/** A key that control writes each second: it makes a bucket never empty, and shows that its watch is alive. */
export const heartbeatKey = 'beat';

/** The value of the beat key. */
export interface ControlBeat {
  /** Milliseconds since 1970. */
  at: number;
  /** What an operator should know, in a sentence each. */
  notices: string[];
  /** Tells one control from another; one of an older version does not say it. */
  control?: string;
}

/** The stream behind a bucket. */
export const bucketStream = (name: BucketName) => `KV_${name}`;

/** A change of a bucket, told ahead of its write: it arrives even while the bucket has no leader. */
export interface Announcement {
  key: string;
  value: { version: number };
}
