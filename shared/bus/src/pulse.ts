import type { Clock } from '@model-gateway/clock';
import type { NatsConnection } from 'nats';

/** Time in which a server answers a ping, in milliseconds. */
const answerMs = 1_000;
/** Shortest time from an answer to the next ping, in milliseconds. */
const restMs = 500;

/** Notices that a server stands still while its connection stays open. */
export class Pulse {
  readonly #connection: NatsConnection;
  readonly #clock: Clock;
  /** When the ping was sent that has no answer, and when the last answer came, in milliseconds of the monotonic clock. */
  #pingedAt: number | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(connection: NatsConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** False if a ping has had no answer for too long. Sends one if none is on its way. */
  responds(): boolean {
    const now = this.#clock.monotonic();
    if (this.#pingedAt === undefined && now - this.#answeredAt >= restMs) this.#ping(now);
    return this.#pingedAt === undefined || now - this.#pingedAt < answerMs;
  }

  #ping(now: number): void {
    this.#pingedAt = now;
    const over = () => {
      this.#pingedAt = undefined;
      this.#answeredAt = this.#clock.monotonic();
    };
    // It rejects if the connection is lost.
    this.#connection.flush().then(over, over);
  }
}
