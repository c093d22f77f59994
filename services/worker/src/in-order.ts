/** Keeps what comes in its order while a part of it is dealt with in steps. */
export class InOrder {
  /** How much of it is dealt with now: one part may begin another. */
  #busy = 0;
  readonly #later: (() => void)[] = [];

  /** Runs a step now, or once what goes on is done with. */
  run(step: () => void): void {
    if (this.#busy > 0) this.#later.push(step);
    else step();
  }

  /** Has all that comes wait for `work`, which must not reject; resolves when what came meanwhile was run, or waits again. */
  async during(work: Promise<void>): Promise<void> {
    this.#busy++;
    await work;
    this.#busy--;
    while (this.#busy === 0) {
      const step = this.#later.shift();
      if (!step) return;
      step();
    }
  }
}
