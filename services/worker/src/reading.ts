/** Called by {@link Reading}. */
interface ReadingEvents {
  /** Stops reading from the upstream. */
  pause(): void;
  /** Reads on. */
  resume(): void;
  /** Ends the attempt with what a step threw. */
  broke(thrown: unknown): void;
}

/** The steps in which an upstream's answer is read: in order, and none while the client or earlier work takes its time. */
export class Reading {
  readonly #events: ReadingEvents;
  /** Number of works in progress: one may begin another. */
  #busy = 0;
  /** Number of reasons for which reading is paused. */
  #pauses = 0;
  readonly #later: (() => void)[] = [];

  constructor(events: ReadingEvents) {
    this.#events = events;
  }

  /** Runs a step now, or after the work in progress. */
  run(step: () => void): void {
    if (this.#busy > 0) this.#later.push(step);
    else this.now(step);
  }

  /** Runs a step now. */
  now(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#events.broke(thrown);
    }
  }

  /** Pauses reading until the promise resolves. */
  async pauseUntil(until: Promise<void>): Promise<void> {
    this.#pauses++;
    this.#events.pause();
    await until;
    if (--this.#pauses === 0) this.#events.resume();
  }

  /** Pauses reading and postpones steps until `work` is done. Resolves when they ran or wait again. */
  during(work: Promise<void>): Promise<void> {
    return this.pauseUntil(this.#postponed(work));
  }

  async #postponed(work: Promise<void>): Promise<void> {
    this.#busy++;
    await work.catch(thrown => this.#events.broke(thrown));
    this.#busy--;
    while (this.#busy === 0) {
      const step = this.#later.shift();
      if (!step) return;
      this.now(step);
    }
  }
}
