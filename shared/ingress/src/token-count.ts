import { GatewayError } from '@model-gateway/canonical';

/** When a token that has all it may have should ask again, in milliseconds. */
const retryAfterMs = 1_000;

/** Counts one thing that tokens use of this process, and bounds what each of them may have of it. */
export class TokenCount {
  /** The most that one token may have. */
  readonly limit: number;
  readonly #refusal: string;
  readonly #used = new Map<string, number>();

  /** `refusal` tells a token that it has all of its share, and what it can do. */
  constructor(limit: number, refusal: string) {
    this.limit = limit;
    this.#refusal = refusal;
  }

  /** The number of tokens that use any of it. */
  get tokens(): number {
    return this.#used.size;
  }

  used(tokenId: string): number {
    return this.#used.get(tokenId) ?? 0;
  }

  /**
   * Takes an amount for a request that has `own` of it already. A request may take more than the share while all others
   * of its token have less than a quarter of it: a lone large request is bounded by its size, not by what is made of it.
   * @throws GatewayError of kind `rate-limited` where the token has all of its share
   */
  take(tokenId: string, amount: number, own = 0): void {
    const used = this.used(tokenId);
    if (used + amount > this.limit && (used - own) * 4 >= this.limit)
      throw new GatewayError('rate-limited', this.#refusal, { retryAfterMs, share: true });
    this.#used.set(tokenId, used + amount);
  }

  give(tokenId: string, amount: number): void {
    const left = this.used(tokenId) - amount;
    if (left > 0) this.#used.set(tokenId, left);
    else this.#used.delete(tokenId);
  }

  /** Takes one; the returned function gives it back, once however often it is called. @throws GatewayError as {@link take} */
  open(tokenId: string): () => void {
    this.take(tokenId, 1);
    let held = true;
    return () => {
      if (held) this.give(tokenId, 1);
      held = false;
    };
  }
}
