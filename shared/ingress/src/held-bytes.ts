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
    return {
      take: bytes => {
        if (this.#held + bytes > this.#budget) throw full();
        this.#held += bytes;
        mine += bytes;
      },
      giveBack: () => {
        this.#held -= mine;
        mine = 0;
      },
    };
  }
}

export interface Share {
  /** @throws GatewayError of kind `overloaded` where the process holds too much already */
  take(bytes: number): void;
  /** Gives back all of it; may be called again. */
  giveBack(): void;
}

function full(): GatewayError {
  return new GatewayError('overloaded', 'The gateway holds too many large requests at the moment.', {
    retryAfterMs: 1_000,
  });
}
