import { GatewayError } from '@model-gateway/canonical';
import type { Reservation } from '@model-gateway/ingress';

/** A reservation of at most `limit` bytes, together with its parts. */
export class TestShare implements Reservation {
  readonly #limit: number;
  readonly #all: { held: number; most: number };
  #own = 0;

  constructor(limit = Number.POSITIVE_INFINITY, all = { held: 0, most: 0 }) {
    this.#limit = limit;
    this.#all = all;
  }

  get held(): number {
    return this.#all.held;
  }

  /** The most that was held at once. */
  get most(): number {
    return this.#all.most;
  }

  take(bytes: number): void {
    if (this.#all.held + bytes > this.#limit)
      throw new GatewayError('rate-limited', 'This token holds too much.');
    this.#own += bytes;
    this.#all.held += bytes;
    this.#all.most = Math.max(this.#all.most, this.#all.held);
  }

  give(bytes: number): void {
    const given = Math.min(bytes, this.#own);
    this.#own -= given;
    this.#all.held -= given;
  }

  keep(): void {}

  release(): void {
    this.#all.held -= this.#own;
    this.#own = 0;
  }

  part(): Reservation {
    return new TestShare(this.#limit, this.#all);
  }
}
