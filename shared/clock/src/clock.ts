import { setTimeout as sleep } from 'node:timers/promises';

/** Time and timers. Whatever waits, expires or tries again later takes one as an argument, so that tests can move its time. */
export interface Clock {
  /** The time, in milliseconds since 1970. It may jump. */
  now(): number;
  /** Milliseconds since a moment of its own. It never goes back. */
  monotonic(): number;
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
  setInterval(run: () => void, ms: number): Timer;
  clearInterval(timer: Timer | undefined): void;
  /** Resolves after `ms`. @throws AbortError once `signal` aborts */
  sleep(ms: number, options?: { signal?: AbortSignal; ref?: boolean }): Promise<void>;
}

/** A timer of Node, or one of a test. */
export interface Timer {
  /** Lets the process exit before the timer is due. */
  unref(): this;
  /** Resets the time of the timer. */
  refresh(): this;
}

/** The system's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: timer => clearTimeout(timer as NodeJS.Timeout | undefined),
  setInterval: (run, ms) => setInterval(run, ms),
  clearInterval: timer => clearInterval(timer as NodeJS.Timeout | undefined),
  sleep: (ms, options) => sleep(ms, undefined, options),
};

/** A clock that runs what its timers call by a function that lets nothing through that it throws. */
export class GuardedClock implements Clock {
  readonly #clock: Clock;
  readonly #run: (callback: () => unknown) => void;

  constructor(clock: Clock, run: (callback: () => unknown) => void) {
    this.#clock = clock;
    this.#run = run;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimeout(run: () => unknown, ms: number): Timer {
    return this.#clock.setTimeout(() => this.#run(run), ms);
  }

  clearTimeout(timer: Timer | undefined): void {
    this.#clock.clearTimeout(timer);
  }

  setInterval(run: () => unknown, ms: number): Timer {
    return this.#clock.setInterval(() => this.#run(run), ms);
  }

  clearInterval(timer: Timer | undefined): void {
    this.#clock.clearInterval(timer);
  }

  sleep(ms: number, options?: { signal?: AbortSignal; ref?: boolean }): Promise<void> {
    return this.#clock.sleep(ms, options);
  }
}
