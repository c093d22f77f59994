import { type Dispatcher, Pool } from 'undici';

/** The property that tells an agent how many connections a pool has. undici does not export its name. */
const connected = Object.getOwnPropertySymbols(Object.getPrototypeOf(Pool.prototype)).find(
  ({ description }) => description === 'connected',
);

/**
 * A pool that knows how many connections it has. For each connection that closes, an agent asks its pool whether another one is
 * left, and undici's own asks all of its clients: with thousands of streams that end, seconds.
 */
export class CountedPool extends Pool {
  readonly #connected = new Set<Dispatcher | undefined>();

  // An accessor of the pool itself would make its other properties slow.
  static {
    if (connected)
      Object.defineProperty(CountedPool.prototype, connected, {
        get(this: CountedPool) {
          return this.#connected.size;
        },
      });
  }

  constructor(origin: string | URL, options: Pool.Options) {
    super(origin, options);
    // The client is the last of the targets.
    this.on('connect', (_origin, targets) => {
      this.#connected.add(targets.at(-1));
    });
    this.on('disconnect', (_origin, targets) => {
      this.#connected.delete(targets.at(-1));
    });
  }
}
