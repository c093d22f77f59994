import type { CopiedCount, PastCount } from './known-counts.ts';
import type { Counted } from './limits.ts';
import type { Amounts } from './loan.ts';
import { SlidingWindow, slotOf, slots } from './window.ts';

type Kind = 'requests' | 'tokens';

/** The part of what is left of a limit that copies may count ahead of its use: the most that is lost with a leader. */
const aheadPart = 1 / 16;
/** The shortest time from which the use of a second is told, in milliseconds. */
const shortestMs = 50;

/** The counts of one key. It has the windows of the limits that it was counted for. */
export class Counts {
  running = 0;
  /** The amounts of the loans that are open. */
  readonly lent: Amounts = { requests: 0, tokens: 0, running: 0 };
  readonly #key: string;
  #requests: SlidingWindow | undefined;
  #tokens: SlidingWindow | undefined;
  /** The amounts that copies count beside the slots that they know. */
  readonly #spare = { requests: 0, tokens: 0 };
  /** The amounts that were added since copies were told. */
  readonly #untold = { requests: 0, tokens: 0 };
  #toldAt = Number.NEGATIVE_INFINITY;
  /** The oldest slot that has changed since then. */
  #changedFrom = Number.POSITIVE_INFINITY;

  constructor(key: string) {
    this.#key = key;
  }

  get requests(): SlidingWindow {
    this.#requests ??= new SlidingWindow();
    return this.#requests;
  }

  get tokens(): SlidingWindow {
    this.#tokens ??= new SlidingWindow();
    return this.#tokens;
  }

  /** Adds an amount at a time, which may be in the past. */
  add(kind: Kind, amount: number, at: number, now: number): void {
    this[kind].add(amount, at, now);
    if (amount > 0) this.#untold[kind] += amount;
    const slot = slotOf(at);
    if (slot > slotOf(now) - slots) this.#changedFrom = Math.min(this.#changedFrom, slot);
  }

  /** True if it counts nothing, and copies do not either. */
  isEmpty(now: number): boolean {
    const { lent } = this;
    const beside = lent.requests + lent.running + this.#spare.requests + this.#spare.tokens;
    return this.running + beside === 0 && !this.#requests?.sum(now) && !this.#tokens?.sum(now);
  }

  past(now: number): Omit<PastCount, 'key'> {
    const pairs = (window: SlidingWindow | undefined) =>
      [...(window?.entries(now) ?? [])].map(({ amount, ageMs }): [number, number] => [amount, ageMs]);
    return { requests: pairs(this.#requests), tokens: pairs(this.#tokens) };
  }

  /** Moves an amount from its time to now. */
  move(kind: Kind, amount: number, at: number, now: number): void {
    this.add(kind, -amount, at, now);
    this.add(kind, amount, now, now);
  }

  /** True if copies count at least what was added and lent under the limits. */
  isTold({ requestsPerMinute, tokensPerMinute }: Counted): boolean {
    return (
      (requestsPerMinute === undefined || this.#isTold('requests')) &&
      (tokensPerMinute === undefined || this.#isTold('tokens'))
    );
  }

  #isTold(kind: Kind): boolean {
    return this.#untold[kind] + this.lent[kind] <= this.#spare[kind];
  }

  /** Returns what copies are told: the slots that have changed, and what they count beside them for the next second. */
  tellAhead({ requestsPerMinute, tokensPerMinute }: Counted, now: number): CopiedCount {
    const ms = Math.max(shortestMs, now - this.#toldAt);
    const ahead = (kind: Kind, limit: number | undefined) => {
      if (limit === undefined) return 0;
      const room = limit - this[kind].sum(now) - this.lent[kind];
      return Math.max(0, Math.floor(Math.min(room * aheadPart, (this.#untold[kind] * 1_000) / ms)));
    };
    return this.tell(now, this.#changedFrom, {
      requests: ahead('requests', requestsPerMinute),
      tokens: ahead('tokens', tokensPerMinute),
    });
  }

  /** Returns the slots that have changed, or those from one on, and counts them as told. */
  tell(now: number, from = this.#changedFrom, ahead = nothing): CopiedCount {
    const newest = slotOf(now);
    const spare = this.#spare;
    for (const kind of ['requests', 'tokens'] as const) {
      spare[kind] = this.lent[kind] + ahead[kind];
      this.#untold[kind] = 0;
    }
    this.#toldAt = now;
    this.#changedFrom = Number.POSITIVE_INFINITY;
    const first = Math.max(0, Math.min(from, newest + 1), newest - slots + 1);
    const told: CopiedCount['slots'] = [];
    for (let slot = first; slot <= newest; slot++) {
      const requests = this.#requests?.amountOf(slot) ?? 0;
      const tokens = this.#tokens?.amountOf(slot) ?? 0;
      if (requests > 0 || tokens > 0) told.push([slot, requests, tokens]);
    }
    return { key: this.#key, spare: [spare.requests, spare.tokens], from: first, slots: told };
  }
}

const nothing = { requests: 0, tokens: 0 };
