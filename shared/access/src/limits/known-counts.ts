/** The amounts in the windows of a key: pairs of an amount and its age in milliseconds. */
export interface PastCount {
  key: string;
  requests: [amount: number, ageMs: number][];
  tokens: [amount: number, ageMs: number][];
}

/** The counts of one key in a copy. They replace all that the copy held of it from a slot on. */
export interface CopiedCount {
  key: string;
  /** The amounts that count as used beside the slots: they are lent, or may have been granted since. */
  spare: [requests: number, tokens: number];
  from: number;
  /** Slots of the leader's clock. Those that are absent hold nothing. */
  slots: [slot: number, requests: number, tokens: number][];
}

/** A message by which a leader keeps the copies of its counts. */
export interface CopyPart {
  /** The leader's term. A later one is greater. */
  term: number;
  /** The number of the last message with counts. A copy that has not read the one before is incomplete. */
  number: number;
  /** The leader's time, in milliseconds of its monotonic clock. */
  at: number;
  /** In a message of a whole copy: the number of those that follow. `first`: none comes before it. */
  left?: number;
  first?: true;
  counts: CopiedCount[];
}

/** The age of counts: those of a greater term, or of the same term with a greater number, know more. */
export interface CopyVersion {
  term: number;
  number: number;
}

/** The number of a leader's own counts: no copy of them knows more. */
export const wholeNumber = Number.MAX_SAFE_INTEGER;

/** Counts of the past, and their version. */
export interface KnownCounts extends CopyVersion {
  past: PastCount[];
}

export function isNewer(one: CopyVersion, other: CopyVersion): boolean {
  return one.term === other.term ? one.number > other.number : one.term > other.term;
}
