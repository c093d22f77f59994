import { GatewayError } from '@model-gateway/canonical';

/** Time after which a client should retry when its token's share is used up, in milliseconds. */
const retryAfterMs = 1_000;

/** Counts one resource of this process per token, and limits each token to a share. */
export class TokenCount {
  /** The share of one token. */
  readonly limit: number;
  readonly #refusal: string;
  readonly #used = new Map<string, number>();

  /** `refusal`: the error message when a token's share is used up, with advice. */
  constructor(limit: number, refusal: string) {
    this.limit = limit;
    this.#refusal = refusal;
  }

  /** Number of tokens that use the resource. */
  get tokens(): number {
    return this.#used.size;
  }

  used(tokenId: string): number {
    return this.#used.get(tokenId) ?? 0;
  }

  /**
   * Takes an amount for a request that already holds `own`. A request may exceed the share while its token's other
   * requests use less than a quarter of it: a single large request is limited by its size, not by derived data.
   * @throws GatewayError of kind `rate-limited` if the token's share is used up
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

  /** Takes one. The returned function releases it; further calls do nothing. @throws GatewayError as {@link take} */
  open(tokenId: string): () => void {
    this.take(tokenId, 1);
    let held = true;
    return () => {
      if (held) this.give(tokenId, 1);
      held = false;
    };
  }
}
