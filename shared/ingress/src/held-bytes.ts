import { GatewayError } from '@model-gateway/canonical';

/** The bytes of request bodies that a process holds in memory at once, over all its requests. */
export class HeldBytes {
  readonly #budget: number;
  #held = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  get held(): number {
    return this.#held;
  }

  /** A request's share, empty at first. */
  share(): Share {
    let mine = 0;
    let bodies: Buffer[] = [];
    return {
      take: bytes => {
        if (this.#held + bytes > this.#budget) throw full();
        this.#held += bytes;
        mine += bytes;
      },
      keep: body => bodies.push(body),
      giveBack: () => {
        for (const body of bodies) free(body);
        bodies = [];
        this.#held -= mine;
        mine = 0;
      },
    };
  }
}

export interface Share {
  /** @throws GatewayError of kind `overloaded` where the process holds too much already */
  take(bytes: number): void;
  /** Keeps a body until the share is given back; then it holds nothing any more, and nobody may read it. */
  keep(body: Buffer): void;
  /** Gives back all of it; may be called again. */
  giveBack(): void;
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
