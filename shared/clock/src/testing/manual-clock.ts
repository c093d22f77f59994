import FakeTimers from '@sinonjs/fake-timers';
import type { Clock, Timer } from '../clock.ts';

type TimerId = ReturnType<FakeTimers.Clock['setTimeout']>;

/** A clock of a test: its time stands still until the test moves it. */
export class ManualClock implements Clock {
  readonly #timers;
  /** The last move. */
  #moved: Promise<unknown> = Promise.resolve();

  /** `now`: the time at the start, in milliseconds since 1970. */
  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#timers = FakeTimers.createClock(now);
  }

  now(): number {
    return this.#timers.now;
  }

  monotonic(): number {
    return this.#timers.performance.now();
  }

  setTimeout(run: () => void, ms: number): Timer {
    return this.#timers.setTimeout(run, ms) as unknown as Timer;
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer) this.#timers.clearTimeout(timer as unknown as TimerId);
  }

  setInterval(run: () => void, ms: number): Timer {
    return this.#timers.setInterval(run, ms) as unknown as Timer;
  }

  clearInterval(timer: Timer | undefined): void {
    if (timer) this.#timers.clearInterval(timer as unknown as TimerId);
  }

  sleep(ms: number, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const aborted = () => {
        this.clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = this.setTimeout(() => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      }, ms);
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  /** The number of timers that are not due yet. */
  get waiting(): number {
    return this.#timers.countTimers();
  }

  /**
   * Moves time by `ms`, and runs each timer that becomes due, in order. What they await without I/O happens before the next one. Of
   * several moves, each begins when the one before has ended.
   */
  async advance(ms: number): Promise<void> {
    const moved = this.#moved.then(() => this.#timers.tickAsync(ms));
    this.#moved = moved.catch(() => {});
    await moved;
  }

  /** Does the same as `advance`, and awaits `settle` after each moment in which timers ran, and at the end. */
  async advanceEach(ms: number, settle: () => Promise<void>): Promise<void> {
    let isOver = false;
    this.#timers.setTimeout(() => (isOver = true), ms);
    while (!isOver) {
      await this.#timers.nextAsync();
      // The others of the same moment.
      await this.#timers.tickAsync(0);
      await settle();
    }
  }

  /** Moves time as if the process stood still for `ms`: each timer that is due by then runs once, at the end. */
  jump(ms: number): void {
    this.#timers.jump(ms);
  }

  /**
   * Moves time in steps of `stepMs` until `check` returns true, and lets messages of real servers arrive between the steps.
   * @throws Error if it is still false after `mostMs` of this clock
   */
  async advanceUntil(check: () => boolean, { stepMs = 50, mostMs = 120_000 } = {}): Promise<void> {
    const giveUp = this.monotonic() + mostMs;
    while (!check()) {
      if (this.monotonic() > giveUp)
        throw new Error(`it did not happen within ${mostMs} ms of the test's clock`);
      await this.advance(stepMs);
      await new Promise(resolve => setTimeout(resolve, 1));
    }
  }
}
