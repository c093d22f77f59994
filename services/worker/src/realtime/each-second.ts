import type { Clock } from '@model-gateway/clock';

const secondMs = 1_000;

/** Counts what happens in each second against a bound. */
export class EachSecond {
  readonly #most: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #began = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(most: number, clock: Pick<Clock, 'monotonic'>) {
    this.#most = most;
    this.#clock = clock;
  }

  /** The number of this second. */
  get counted(): number {
    return this.#count;
  }

  /** Counts one. Returns the rest of the second in milliseconds if the bound is reached; else 0. */
  count(): number {
    const now = this.#clock.monotonic();
    if (now - this.#began >= secondMs) {
      this.#began = now;
      this.#count = 0;
    }
    return ++this.#count < this.#most ? 0 : this.#began + secondMs - now;
  }
}
