import type { Settlement } from './messages.ts';

/** Time for which the cost of an ended request is remembered, in milliseconds, and the most of them. */
const rememberedMs = 10_000;
const mostRemembered = 10_000;

/** The costs of requests that ended lately, for a new leader. */
export class RecentCosts {
  /** The oldest first. */
  readonly #recent: { settlement: Settlement; at: number }[] = [];

  add(settlements: readonly Settlement[], at: number): void {
    for (const settlement of settlements) this.#recent.push({ settlement, at });
    const young = this.#recent.findIndex(each => at - each.at <= rememberedMs);
    this.#recent.splice(0, Math.max(young, this.#recent.length - mostRemembered));
  }

  all(now: number): Settlement[] {
    return this.#recent.flatMap(({ settlement, at }) => (now - at <= rememberedMs ? settlement : []));
  }
}
