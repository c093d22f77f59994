import {
  attemptCost,
  type Catalog,
  type KeptPrices,
  openKeptPrices,
  type PricedAttempt,
} from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';

/** Knows what attempts cost, from memory. The vendors' prices are loaded for the first request with a budget. */
export class Prices {
  readonly #catalog: Catalog;
  readonly #clock: Clock;
  #kept: KeptPrices | undefined;
  #opening: Promise<void> | undefined;

  constructor(catalog: Catalog, clock: Clock) {
    this.#catalog = catalog;
    this.#clock = clock;
  }

  /** Loads the vendors' prices unless they are; without them, only prices that the catalog states are known. */
  open(): Promise<void> | undefined {
    if (this.#kept) return undefined;
    this.#opening ??= openKeptPrices()
      .then(kept => {
        this.#kept = kept;
      })
      .catch(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  /** Returns the time of an attempt that ends now. */
  now(): Date {
    return new Date(this.#clock.now());
  }

  /** Returns the cost of an attempt in US dollars; undefined if its price is unknown. */
  costOf(attempt: PricedAttempt): number | undefined {
    return attemptCost(attempt, this.#catalog, this.#kept)?.cost;
  }
}
