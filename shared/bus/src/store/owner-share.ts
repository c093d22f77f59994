import type { Bus } from '../connection.ts';
import type { StoredStream } from './stored-stream.ts';
import { Tally, type TallyOptions } from './tally.ts';

/** One owner may fill one part of this many of a store's room. */
export const ownersPart = 2;

/** The part of one stream's room that each owner has. */
export class OwnerShare {
  readonly #tally: Tally;
  readonly #stream: StoredStream;

  private constructor(tally: Tally, stream: StoredStream) {
    this.#tally = tally;
    this.#stream = stream;
  }

  static async open(bus: Bus, stream: StoredStream, options: TallyOptions): Promise<OwnerShare> {
    return new OwnerShare(await Tally.open(bus, options), stream);
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
    const most = this.#stream.maxBytes / ownersPart;
    if (this.#stream.bytes <= most) return false;
    try {
      return (await this.#tally.of(owner)) > most;
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
