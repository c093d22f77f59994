/** The parts that the services of one process share, each made by the first service that asks for it. */
export class ProcessShared {
  readonly #made = new Map<unknown, unknown>();

  /** Returns the result of `make`, which is called once for each `key`. A key is a function with that type of result. */
  get<T>(key: (...parameters: never) => T, make: () => T): T {
    if (!this.#made.has(key)) this.#made.set(key, make());
    return this.#made.get(key) as T;
  }
}
