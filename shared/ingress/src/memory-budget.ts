import { GatewayError } from '@model-gateway/canonical';
import type { TokenCount } from './token-count.ts';

/** The bytes of request bodies that a process holds at once, over all its requests and for each token. */
export class MemoryBudget {
  readonly #budget: number;
  readonly #perToken: TokenCount;
  #held = 0;

  constructor(budget: number, perToken: TokenCount) {
    this.#budget = budget;
    this.#perToken = perToken;
  }

  get held(): number {
    return this.#held;
  }

  /** The share of a token's request, empty at first. */
  share(tokenId: string): Reservation {
    return this.#share({ tokenId, bytes: 0 });
  }

  #share(request: Holder): Reservation {
    let mine = 0;
    let bodies: Buffer[] = [];
    return {
      take: bytes => {
        if (bytes === 0) return;
        if (this.#held + bytes > this.#budget) throw full();
        this.#perToken.take(request.tokenId, bytes, request.bytes);
        this.#held += bytes;
        request.bytes += bytes;
        mine += bytes;
      },
      keep: body => bodies.push(body),
      release: () => {
        for (const body of bodies) free(body);
        bodies = [];
        if (mine > 0) this.#perToken.give(request.tokenId, mine);
        this.#held -= mine;
        request.bytes -= mine;
        mine = 0;
      },
      part: () => this.#share(request),
    };
  }
}

/** A request, and what all of its shares hold. */
interface Holder {
  tokenId: string;
  bytes: number;
}

export interface Reservation {
  /** @throws GatewayError of kind `overloaded` where the process holds too much already, `rate-limited` where the token does */
  take(bytes: number): void;
  /** Keeps a body until the share is given back; then it holds nothing any more, and nobody may read it. */
  keep(body: Buffer): void;
  /** Gives back all of it; may be called again. */
  release(): void;
  /** Another share of the same request, which is given back by itself. */
  part(): Reservation;
}

/**
 * Frees the memory of a body that has grown in place. To V8 it is a small object, which it may leave lying for
 * minutes: what is held would be more than what is counted.
 */
function free({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
}

function full(): GatewayError {
  return new GatewayError('overloaded', 'The gateway holds too many large requests at the moment.', {
    retryAfterMs: 1_000,
  });
}
