/** Weight from which a session pauses, in bytes. */
const pauseAt = 256 * 1024;

/** The messages of a session that its client has not taken yet, by weight. */
export class Backlog {
  #weight = 0;
  #ended = false;
  #drained: PromiseWithResolvers<void> | undefined;

  add(weight: number): void {
    this.#weight += weight;
  }

  taken(weight: number): void {
    this.#weight -= weight;
    if (!this.full) this.#release();
  }

  /** Ends all waiting: the client takes nothing more. */
  end(): void {
    this.#ended = true;
    this.#release();
  }

  get full(): boolean {
    return this.#weight >= pauseAt && !this.#ended;
  }

  /** Resolves when the backlog is not full. */
  async drained(): Promise<void> {
    while (this.full) {
      this.#drained ??= Promise.withResolvers();
      await this.#drained.promise;
    }
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
