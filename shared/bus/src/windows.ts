/**
 * The most credit that the calls of one connection have together, in bytes, beside {@link leastWindow} of each. NATS queues so much
 * for a process that does not read, and more: it cuts a connection at its `max_pending`, which is 64 MB by default.
 */
export const connectionWindow = 24 * 1024 * 1024;
/** The smallest window of a call, in bytes. */
export const leastWindow = 4 * 1024;
/** Credit that is left, in bytes, below which a new call gets less than the largest window: in proportion to what is left. */
const scarceFrom = 16 * 1024 * 1024;

/** The credit windows of the calls that send to one connection: the more there are, the smaller each is. Sizes are in bytes. */
export class Windows {
  readonly #largest: number;
  #calls = 0;
  #granted = 0;

  /** `largest`: the window of a call if there are few. */
  constructor(largest: number) {
    this.#largest = largest;
  }

  /** Opens the window of a call, and returns its size. */
  open(): number {
    this.#calls++;
    return this.resize(0, 0);
  }

  /** Returns the new size of a call's window, at least `least`, since credit that was given is not taken back. */
  resize(size: number, least: number): number {
    const share = Math.min(this.#largest, connectionWindow / this.#calls);
    const left = Math.max(0, connectionWindow - this.#granted);
    const wanted = Math.floor(Math.min(share, size + (this.#largest * left) / scarceFrom));
    const resized = Math.max(wanted, least, leastWindow);
    this.#granted += resized - size;
    return resized;
  }

  /** Closes the window of a call. */
  close(size: number): void {
    this.#calls--;
    this.#granted -= size;
  }
}
