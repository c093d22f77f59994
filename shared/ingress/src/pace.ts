/** Limits on how slowly a client may send a body or message. */
export interface PaceLimits {
  /** Minimum average rate on the wire, over any {@link paceSeconds} s in which this process waits for data. */
  bytesPerSecond: number;
  /** The longest total time that this process waits for data, in milliseconds. */
  ms: number;
}

/** Length of the window in which a pace is measured, in seconds. */
export const paceSeconds = 30;
const checkMs = 1_000;

const watched = new Set<{ look(): void }>();
setInterval(() => {
  for (const watch of watched) watch.look();
}, checkMs).unref();

/** Calls `watch.look` once a second until the returned function is called. All watches share one timer. */
export function lookEachSecond(watch: { look(): void }): () => void {
  watched.add(watch);
  return () => void watched.delete(watch);
}

/** Measures the time and the rate of one body or message from a client. */
export class Pace {
  readonly #limits: PaceLimits;
  /** Bytes since the last counted second, and the bytes of each recent second. */
  #recent = 0;
  readonly #seconds: number[] = [];
  #waitedMs = 0;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
  }

  add(bytes: number): void {
    this.#recent += bytes;
  }

  /** Counts a second of waiting for the client. Returns the violated limit, as the end of an error message. */
  second(): string | undefined {
    const { bytesPerSecond, ms } = this.#limits;
    this.#waitedMs += checkMs;
    this.#seconds.push(this.#recent);
    this.#recent = 0;
    if (this.#seconds.length > paceSeconds) this.#seconds.shift();
    const received = this.#seconds.reduce((sum, bytes) => sum + bytes, 0);
    if (this.#waitedMs > ms) return `was not complete after ${ms / 1_000} s`;
    if (this.#seconds.length === paceSeconds && received < bytesPerSecond * paceSeconds)
      return `arrived at less than ${bytesPerSecond} bytes/s over ${paceSeconds} s`;
    return undefined;
  }
}
