/** Runs the work on each key in order: that of other keys runs meanwhile. */
export class InOrder {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const over = Promise.withResolvers<void>();
    this.#last.set(key, over.promise);
    try {
      await before;
      return await work();
    } finally {
      over.resolve();
      if (this.#last.get(key) === over.promise) this.#last.delete(key);
    }
  }
}
