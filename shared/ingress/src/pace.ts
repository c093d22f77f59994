/** Bounds of the time in which a client sends what this process waits for. */
export interface PaceLimits {
  /** The least that must come each second on average, as it travels: in any {@link paceSeconds} s in which it is waited for. */
  bytesPerSecond: number;
  /** For how long its client may be waited for in all, in milliseconds. */
  ms: number;
}

/** Over how many seconds a pace is measured. */
export const paceSeconds = 30;
const lookMs = 1_000;

const watched = new Set<{ look(): void }>();
setInterval(() => {
  for (const watch of watched) watch.look();
}, lookMs).unref();

/** Has `watch` look once a second, by one timer for all, until the returned function is called. */
export function lookEachSecond(watch: { look(): void }): () => void {
  watched.add(watch);
  return () => void watched.delete(watch);
}

/** The time and the pace of one thing that a client sends. */
export class Pace {
  readonly #limits: PaceLimits;
  /** Bytes since the last second that counted, and those of each of the last seconds. */
  #recent = 0;
  readonly #seconds: number[] = [];
  #waitedMs = 0;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
  }

  add(bytes: number): void {
    this.#recent += bytes;
  }

  /** Counts a second in which its client was waited for; says why it is too slow, once it is. */
  second(): string | undefined {
    const { bytesPerSecond, ms } = this.#limits;
    this.#waitedMs += lookMs;
    this.#seconds.push(this.#recent);
    this.#recent = 0;
    if (this.#seconds.length > paceSeconds) this.#seconds.shift();
    const came = this.#seconds.reduce((sum, bytes) => sum + bytes, 0);
    if (this.#waitedMs > ms) return `took longer than ${ms / 1_000} s`;
    if (this.#seconds.length === paceSeconds && came < bytesPerSecond * paceSeconds)
      return `came more slowly than ${bytesPerSecond} bytes/s over ${paceSeconds} s`;
    return undefined;
  }
}
