import type { Bus } from '../connection.ts';
import type { KeptStream, StreamOptions } from './kept-stream.ts';
import { Tally } from './tally.ts';

/** One owner may fill one part of this many of a store's room. */
export const ownersPart = 2;
/** The part of a store's room that the counts of it may take beside it, in bytes at least the second. */
const countsPart = 100;
const leastCounts = 100_000;

/** The part of one stream's room that each owner has. */
export class OwnerShare {
  readonly #tally: Tally;
  readonly #stream: KeptStream;
  readonly #most: number;

  private constructor(tally: Tally, stream: KeptStream, maxBytes: number) {
    this.#tally = tally;
    this.#stream = stream;
    this.#most = maxBytes / ownersPart;
  }

  static async open(
    bus: Bus,
    stream: KeptStream,
    { replicas, maxBytes, ...of }: StreamOptions & { stream: string; subjects: string; ttlMs: number },
  ): Promise<OwnerShare> {
    const counts = Math.max(leastCounts, Math.ceil(maxBytes / countsPart));
    return new OwnerShare(await Tally.open(bus, { ...of, replicas, maxBytes: counts }), stream, maxBytes);
  }

  /** Counts bytes that an owner wrote, or less than nothing for those that were removed, which were written `at`. */
  add(owner: string, bytes: number, at = Date.now()): void {
    this.#stream.wrote(bytes);
    this.#tally.add(owner, bytes, at);
  }

  close(): void {
    this.#tally.close();
  }

  /** An owner has its share, and is to keep nothing new. It can be only where the stream holds as much; nobody counts before. */
  async isUsedUpBy(owner: string): Promise<boolean> {
    if (this.#stream.bytes <= this.#most) return false;
    try {
      return (await this.#tally.of(owner)) > this.#most;
    } catch {
      // What cannot be told is no reason to refuse: the room as a whole is bounded all the same.
      return false;
    }
  }
}

/** Keys begin with whose they are. */
export function ownerOf(key: string): string {
  return key.split('.', 1)[0] as string;
}
