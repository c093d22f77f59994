import { Life, Lookout, lookMs, lostMs } from '@model-gateway/bus';
import type { Clock, Timer } from '@model-gateway/clock';
import type { LeaderLine } from './copies.ts';
import type { Counters } from './counters.ts';
import type { KnownSlots, LeaderParts } from './leader-parts.ts';
import { partsOf } from './messages.ts';

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

/** The name of the leader's own process. */
export const self = 'self';

/** The slots of a leader's requests: they last if another process becomes the leader while this one stands still. */
export class LeaderSlots {
  readonly #counters: Counters;
  readonly #parts: LeaderParts;
  /** Those of the leader before, unless that handed everything over, or is this process. */
  readonly #before: KnownSlots | undefined;
  #hasTold = false;

  constructor(counters: Counters, parts: LeaderParts, others: OtherProcesses) {
    this.#counters = counters;
    this.#parts = parts;
    const { slots, handover, name } = parts;
    this.#before = handover || slots?.from === name ? undefined : slots;
    if (this.#before) others.expect(this.#before.from, this.#before.at);
  }

  /** Tells the others the slots of its own requests; nothing if it has none, and had none. */
  tell(): void {
    const counts = new Map<string, number>();
    for (const { counted } of this.#counters.running(self))
      for (const { key, concurrency } of counted)
        if (concurrency !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    if (counts.size === 0 && !this.#hasTold) return;
    this.#hasTold = counts.size > 0;
    const from = this.#parts.name;
    for (const [i, running] of partsOf([...counts], 'requests').entries())
      this.#parts.answerAll({ slots: { from, running, ...(i === 0 && { first: true }) } });
  }

  /** Counts those of the leader before, if that has not told them itself. */
  hold(reported: ReadonlySet<string>, now: number): void {
    const before = this.#before;
    if (!before || reported.has(before.from) || now - before.at >= lostMs) return;
    for (const [id, [key, count]] of before.running.entries()) {
      const counted = Array(count).fill({ key, concurrency: count });
      this.#counters.resume(heldFor(before.from), { id, counted, tokens: 0 }, now, now);
    }
  }

  /** Frees those of a process that tells its own. */
  told(process: string, now: number): void {
    this.#counters.endAll(heldFor(process), now);
  }

  /** Ends the requests of a process that is lost. */
  lost(process: string, now: number): void {
    this.#counters.endAll(process, now);
    this.told(process, now);
  }
}

/** The name under which the slots of a process are counted that has not told them. */
function heldFor(process: string): string {
  return `before ${process}`;
}
