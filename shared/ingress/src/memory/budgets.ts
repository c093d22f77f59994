import { appended } from '@model-gateway/bus';
import { GatewayError, type GenerateEvent, type OverloadReason, overloaded } from '@model-gateway/canonical';

/** The reason to refuse a request once a budget is used up. */
type FullReason = Extract<OverloadReason, 'body_memory_full' | 'upload_space_full'>;

/** Bounds the bytes of request bodies that a process holds at once, in total and per token. */
export class MemoryBudget {
  readonly #budget: number;
  readonly #perToken: TokenCount;
  readonly #reason: FullReason;
  #held = 0;

  constructor(budget: number, perToken: TokenCount, reason: FullReason = 'body_memory_full') {
    this.#budget = budget;
    this.#perToken = perToken;
    this.#reason = reason;
  }

  get held(): number {
    return this.#held;
  }

  /** Returns an empty reservation for a token's request. */
  share(tokenId: string): Reservation {
    return new Share(this, { tokenId, bytes: 0 });
  }

  /** Reserves bytes for a request. @throws GatewayError as {@link Reservation.take} */
  take(request: Holder, bytes: number): void {
    if (this.#held + bytes > this.#budget) throw full(this.#budget, this.#reason);
    this.#perToken.take(request.tokenId, bytes, request.bytes);
    this.#held += bytes;
    request.bytes += bytes;
  }

  /** Takes back bytes of a request. */
  give(request: Holder, bytes: number): void {
    this.#perToken.give(request.tokenId, bytes);
    this.#held -= bytes;
    request.bytes -= bytes;
  }
}

/** A request, with the bytes that all of its reservations hold. */
interface Holder {
  readonly tokenId: string;
  bytes: number;
}

/** Memory that a request holds. */
export interface Reservation {
  /** @throws GatewayError of kind `overloaded` if the process's budget is used up, `rate-limited` if the token's is */
  take(bytes: number): void;
  /** Returns some of the reserved bytes. */
  give(bytes: number): void;
  /** Frees the memory of `body` on release; it must not be read afterwards. */
  keep(body: Buffer): void;
  /** Releases the whole reservation; may be called again. */
  release(): void;
  /** Returns another reservation of the same request, which is released separately. */
  part(): Reservation;
}

class Share implements Reservation {
  readonly #budget: MemoryBudget;
  readonly #request: Holder;
  #bytes = 0;
  #bodies = noBodies;

  constructor(budget: MemoryBudget, request: Holder) {
    this.#budget = budget;
    this.#request = request;
  }

  take(bytes: number): void {
    if (bytes === 0) return;
    this.#budget.take(this.#request, bytes);
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    // A reservation that was released has nothing to return.
    const given = Math.min(bytes, this.#bytes);
    if (given === 0) return;
    this.#budget.give(this.#request, given);
    this.#bytes -= given;
  }

  keep(body: Buffer): void {
    this.#bodies = appended(this.#bodies, body);
  }

  release(): void {
    for (const body of this.#bodies) free(body);
    this.#bodies = noBodies;
    if (this.#bytes > 0) this.#budget.give(this.#request, this.#bytes);
    this.#bytes = 0;
  }

  part(): Reservation {
    return new Share(this.#budget, this.#request);
  }
}

const noBodies: readonly Buffer[] = [];

/**
 * Frees the memory of a body that has grown in place. V8 sees only a small object and may collect it minutes later,
 * so that more memory would be held than is counted.
 */
function free({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
}

function full(budget: number, reason: FullReason): GatewayError {
  const message = `The gateway has no room for more request bodies at the moment: a process holds ${megabytes(budget)} of them. Retry later.`;
  return overloaded(reason, message, { retryAfterMs: 1_000 });
}

/** Formats bytes for an error message, rounded to 0.1 MB. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 100_000) / 10} MB`;
}

/** Time after which a client should retry when its token's share is used up, in milliseconds. */
const retryAfterMs = 1_000;

/** The most tokens that are counted before those that use nothing are forgotten. */
const manyTokens = 1_000;

/** Counts one resource of this process per token, and limits each token to a share. */
export class TokenCount {
  /** The share of one token. */
  readonly limit: number;
  readonly #refusal: string;
  /** Called for each refusal. */
  onRefused: () => void = () => {};
  /** By token; 0 for one that was used lately. */
  readonly #used = new Map<string, number>();
  #dropAt = manyTokens;

  /** `refusal`: the error message when a token's share is used up, with advice. */
  constructor(limit: number, refusal: string) {
    this.limit = limit;
    this.#refusal = refusal;
  }

  /** Number of the tokens that are counted, of which some use nothing now. */
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
    if (used + amount > this.limit && (used - own) * 4 >= this.limit) {
      this.onRefused();
      throw new GatewayError('rate-limited', this.#refusal, { retryAfterMs, share: true });
    }
    if (this.#used.size >= this.#dropAt) this.#dropUnused();
    this.#used.set(tokenId, used + amount);
  }

  give(tokenId: string, amount: number): void {
    this.#used.set(tokenId, Math.max(0, this.used(tokenId) - amount));
  }

  /** Forgets tokens that use nothing. Doing so at once would make a new table for each small request. */
  #dropUnused(): void {
    for (const [tokenId, used] of this.#used) if (used === 0) this.#used.delete(tokenId);
    this.#dropAt = Math.max(manyTokens, 2 * this.#used.size);
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

/** The memory of the parts of a whole answer that are held until it is complete. */
export class HeldAnswer {
  readonly #share: Pick<Reservation, 'take' | 'release'>;
  /** Bytes that were reserved for an event that is not complete. */
  #ahead = 0;

  constructor(share: Pick<Reservation, 'take' | 'release'>) {
    this.#share = share;
  }

  /** Reserves a piece of an event. @throws GatewayError if the token's share or the process's budget is used up */
  hold(bytes: number): void {
    this.#share.take(bytes);
    this.#ahead += bytes;
  }

  /** Reserves complete events of `weight` bytes. Bytes that are written as they arrive are not held. @throws GatewayError as {@link hold} */
  add([first]: readonly GenerateEvent[], weight: number): void {
    const isHeld = first !== undefined && first.type !== 'verbatim' && first.type !== 'audio';
    if (isHeld) this.#share.take(Math.max(0, weight - this.#ahead));
    this.#ahead = 0;
  }

  release(): void {
    this.#share.release();
  }
}
