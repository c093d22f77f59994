import { messageOverhead } from './tally.ts';

/** The facts about a stored value that one read of at most {@link pieceBytes} tells. */
export interface StoredHead {
  /** Increases with each write of the key. */
  revision: number;
  /** Time of the write, in milliseconds since 1970. */
  at: number;
  /** The value's size; rounded up to whole pieces for a large one of an earlier version. */
  bytes: number;
  /** The sizes of the value's sections, as {@link PutOptions} stated them; empty for a value that came with its head. */
  sections: readonly number[];
  /** The value; undefined if it is stored in pieces. */
  value: Buffer | undefined;
  /** The id of the pieces. */
  part: string;
}

export interface StoredValue extends Pick<StoredHead, 'revision' | 'at'> {
  value: Buffer;
}

/** The bounds of a read. */
export interface ReadOptions {
  /** Called with the size of what is about to be read beyond a head. A thrown error ends the read. */
  reserve?(bytes: number): void;
  signal?: AbortSignal | undefined;
}

export interface PutOptions {
  /** The owner for whom the value is counted: that in the key if absent. */
  owner?: string;
  /** The sizes of the value's sections, which a reader of a large value gets with its head. */
  sections?: readonly number[];
}

/** Size of the pieces in which a larger value is stored, in bytes. */
export const pieceBytes = 512 * 1024;
/** The space that a value of `length` bytes uses in its stream, in bytes. */
export function storedSize(length: number): number {
  const pieces = length <= pieceBytes ? 0 : Math.ceil(length / pieceBytes);
  return length + (1 + pieces) * messageOverhead;
}
