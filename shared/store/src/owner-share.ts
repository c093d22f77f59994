import type { Bus } from '@model-gateway/bus';
import type { StoredStream } from './stored-stream.ts';
import { Tally, type TallyOptions } from './tally.ts';

/** Divisor of a store's space that gives one owner's share. */
export const ownersPart = 2;

/** The part of a stream's space that each owner uses. */
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

  /** Counts bytes that an owner wrote at `at`; a negative number counts bytes that were removed. */
  add(owner: string, bytes: number, at?: number): void {
    this.#stream.wrote(bytes);
    this.#tally.add(owner, bytes, at);
  }

  close(): void {
    this.#tally.close();
  }

  /** True if an owner has used up its share. The owner's count is read only once the stream holds as much as a share. */
  async isUsedUpBy(owner: string): Promise<boolean> {
    const most = this.#stream.maxBytes / ownersPart;
    if (this.#stream.bytes <= most) return false;
    try {
      return (await this.#tally.of(owner)) > most;
    } catch {
      // An unreadable count is no reason to refuse: the stream as a whole is bounded.
      return false;
    }
  }
}

/** Returns the owner, which is the first token of a key. */
export function ownerOf(key: string): string {
  return key.split('.', 1)[0] as string;
}
