import type { Clock } from '@model-gateway/clock';

/** Time in which a client may send the messages of one second at once, in milliseconds. */
const burstMs = 1_000;
/** Time for which a client is not read that has sent too many messages, in milliseconds. */
const restMs = 100;

/** Counts the messages of one client against a rate. */
export class MessageRate {
  readonly #eachMs: number;
  readonly #clock: Clock;
  /** The time at which all counted messages are paid for. */
  #paidAt = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number, clock: Clock) {
    this.#eachMs = 1_000 / perSecond;
    this.#clock = clock;
  }

  /** Counts a message. Returns the time for which no more should be read, in milliseconds. */
  count(): number {
    const now = this.#clock.monotonic();
    this.#paidAt = Math.max(this.#paidAt, now) + this.#eachMs;
    return this.#paidAt - now < burstMs ? 0 : restMs;
  }
}
