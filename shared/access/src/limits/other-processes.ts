import { Life, Lookout, lookMs } from '@model-gateway/bus';
import type { Clock, Timer } from '@model-gateway/clock';
import type { LeaderLine } from './copies.ts';

/** Time without a message after which a process is forgotten: longer than what it reported counts, in milliseconds. */
const forgetMs = 120_000;

/** The other processes that apply limits, as the leader knows them. Times are in milliseconds of the monotonic clock. */
export class OtherProcesses {
  readonly #clock: Clock;
  readonly #lives = new Map<string, Life>();
  readonly #lookout: Lookout;
  readonly #lost: (process: string) => void;
  readonly #timer: Timer;

  /** `lost` is called for a process whose requests are over, perhaps more than once. */
  constructor({ probe }: Pick<LeaderLine, 'probe'>, clock: Clock, lost: (process: string) => void) {
    this.#clock = clock;
    this.#lost = lost;
    this.#lookout = new Lookout({ now: () => clock.monotonic(), probe, gone: lost });
    this.#timer = clock.setInterval(() => this.#look(), lookMs).unref();
  }

  get size(): number {
    return this.#lives.size;
  }

  /** Number of those that may get new work. */
  working(now: number): number {
    return [...this.#lives.values()].filter(life => life.mayWork(now)).length;
  }

  /** Records a message of a process. Returns true if it was not known. */
  heard(process: string, now: number): boolean {
    const life = this.#lives.get(process);
    life?.heard(now);
    if (!life) this.#lives.set(process, new Life(now));
    return life === undefined;
  }

  /** Looks after a process that has sent nothing yet, and was heard by others before. */
  expect(process: string, heardAt: number): void {
    if (!this.#lives.has(process)) this.#lives.set(process, new Life(heardAt));
  }

  /** Forgets those that have long been silent, and returns them. */
  forget(now: number): string[] {
    const silent = [...this.#lives].filter(([, { heardAt }]) => now - heardAt > forgetMs);
    return silent.map(([process]) => {
      this.#lives.delete(process);
      return process;
    });
  }

  stop(): void {
    this.#clock.clearInterval(this.#timer);
  }

  #look(): void {
    if (!this.#lookout.look(this.#lives)) return;
    const now = this.#clock.monotonic();
    for (const [process, life] of this.#lives) if (life.isLost(now)) this.#lost(process);
  }
}
