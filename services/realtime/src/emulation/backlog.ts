/** Weight from which a session pauses, in bytes. */
const pauseAt = 256 * 1024;

/** The messages of a session that its client has not taken yet, by weight. */
export class Backlog {
  #weight = 0;
  #ended = false;
  #busy = false;
  #drained: PromiseWithResolvers<void> | undefined;

  add(weight: number): void {
    this.#weight += weight;
  }

  taken(weight: number): void {
    this.#weight -= weight;
    if (!this.behind) this.#release();
  }

  /** Sets if a message is being written, which fills the backlog. */
  set busy(busy: boolean) {
    this.#busy = busy;
    if (!busy) this.#release();
  }

  /** Ends all waiting: the client takes nothing more. */
  end(): void {
    this.#ended = true;
    this.#release();
  }

  /** True if the session should pause. */
  get full(): boolean {
    return (this.#busy && !this.#ended) || this.behind;
  }

  /** True while the client has much to take. */
  get behind(): boolean {
    return this.#weight >= pauseAt && !this.#ended;
  }

  /** Resolves when the backlog is not full. */
  async drained(): Promise<void> {
    while (this.full) await this.#change();
  }

  /** Resolves when the client has taken enough. */
  async caughtUp(): Promise<void> {
    while (this.behind) await this.#change();
  }

  #change(): Promise<void> {
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
