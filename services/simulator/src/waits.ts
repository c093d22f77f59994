import type { ServerResponse } from 'node:http';

const mostPatienceMs = 600_000;

/** The waits of one answer. Each ends at once when the client leaves; `left` then says so. */
export class Waits {
  readonly #response: ServerResponse;
  #end: () => void = () => {};
  #steps = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once('close', () => this.#end());
  }

  get left(): boolean {
    return this.#response.destroyed;
  }

  /** Whether it is time to let others go first: after every sixteenth step. */
  isTurn(): boolean {
    return ++this.#steps % 16 === 0;
  }

  /** Until a time of `performance.now()`; not at all if that is past. */
  async until(due: number): Promise<void> {
    const ms = due - performance.now();
    if (ms > 0) await this.#sleep(ms);
  }

  /** Until the client has read what was written; one that reads nothing for ten minutes is cut. */
  async drained(): Promise<void> {
    const wake = () => this.#end();
    this.#response.once('drain', wake);
    await this.#sleep(mostPatienceMs);
    this.#response.off('drain', wake);
    if (this.#response.writableNeedDrain) this.#response.destroy();
  }

  #sleep(ms: number): Promise<void> {
    if (this.left) return Promise.resolve();
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Lets everything else that is due in this process go first. */
export function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
