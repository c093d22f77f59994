/** Time without any byte received by the client after which its connection is closed, in milliseconds. */
export const clientStuckMs = 300_000;

/** Knows when a client last took bytes that waited for it. */
export class ClientProgress {
  /** Unsent bytes at the last check. */
  #waiting = 0;
  #takenAt: number;

  constructor(now: number) {
    this.#takenAt = now;
  }

  /** True if the client has taken nothing for {@link clientStuckMs}. Called once a second with the unsent bytes. */
  isStuck(waiting: number, now: number): boolean {
    if (waiting === 0 || waiting !== this.#waiting) this.#takenAt = now;
    this.#waiting = waiting;
    return now - this.#takenAt > clientStuckMs;
  }
}
