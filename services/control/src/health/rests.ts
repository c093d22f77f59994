import { type BucketReader, healthMs } from '@model-gateway/bus';
import { parseRestKey, type Rest, readRest } from '@model-gateway/catalog';

/** The most rests remembered. A model with a `*` can have any number of them. */
export const maxRests = 10_000;

/** The rests in the bucket `health`, in memory, by their ids. */
export class Rests implements BucketReader {
  readonly #rests = new Map<string, Rest>();

  put(key: string, value: unknown): void {
    const id = parseRestKey(key);
    this.#rests.delete(id);
    const rest = readRest(value);
    if (!rest || rest.until === 0) return;
    this.#rests.set(id, rest);
    const [oldest] = this.#rests.keys();
    if (this.#rests.size > maxRests && oldest !== undefined) this.#rests.delete(oldest);
  }

  remove(key: string): void {
    this.#rests.delete(parseRestKey(key));
  }

  /** Returns the rests that no success has ended; `now` is in milliseconds since 1970. */
  all(now: number): ReadonlyMap<string, Rest> {
    // NATS removes old values without telling those who follow the bucket.
    for (const [id, { version }] of this.#rests) if (now - version > healthMs) this.#rests.delete(id);
    return this.#rests;
  }
}
