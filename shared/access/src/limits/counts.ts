import type { Counted } from './limits.ts';
import type { Amounts, CopiedCount, PastCount } from './messages.ts';

/** Length of a window, in milliseconds. */
export const windowMs = 60_000;
export const slotMs = 500;
/** Time in which a request that was granted reaches its upstream, in milliseconds: answers of the leader take time on a busy machine. */
const lateMs = 500;
/** The longest age of a slot that counts, in milliseconds. */
export const heldMs = windowMs + lateMs;
/** The slots of a window and of late requests, and the one that is not full yet: no span of a window's length reaches beyond them. */
export const slots = heldMs / slotMs + 1;

/**
 * The sum of the amounts of the last 60 s, in slots of half a second: an amount counts for 60.5 to 61 s, so no span of 60 s holds more
 * than a sum that was allowed, though requests reach their upstreams a little later than they are granted. Times are in milliseconds of any clock that does not go back.
 */
export class SlidingWindow {
  readonly #amounts = new Float64Array(slots);
  #sum = 0;
  /** The newest slot, counted from the clock's zero. */
  #newest = 0;

  /** The sum at a time. */
  sum(now: number): number {
    this.#moveTo(now);
    return this.#sum;
  }

  /** The amount of a slot; 0 if the window does not hold it. */
  amountOf(slot: number): number {
    return slot > this.#newest || slot <= this.#newest - slots ? 0 : (this.#amounts[slot % slots] as number);
  }

  /** Adds an amount to the slot of a time, which may be in the past; no effect if the window no longer holds it. */
  add(amount: number, at: number, now: number): void {
    this.#moveTo(now);
    const slot = Math.min(slotOf(at), this.#newest);
    if (slot <= this.#newest - slots) return;
    let left = amount;
    // A correction may exceed what the slot holds: counts that another process took over are in a later slot.
    for (let at = slot; at <= this.#newest && left !== 0; at++) {
      const index = at % slots;
      const before = this.#amounts[index] as number;
      const after = Math.max(0, before + left);
      this.#amounts[index] = after;
      this.#sum += after - before;
      left -= after - before;
    }
  }

  /** Returns the time until an amount fits under a limit, in milliseconds: 0 if it does now; undefined if it never will. */
  waitMs(amount: number, limit: number, now: number): number | undefined {
    this.#moveTo(now);
    if (this.#sum + amount <= limit) return 0;
    if (amount > limit) return undefined;
    let left = this.#sum;
    for (let slot = Math.max(0, this.#newest - slots + 1); slot <= this.#newest; slot++) {
      left -= this.#amounts[slot % slots] as number;
      if (left + amount <= limit) return (slot + slots) * slotMs - now;
    }
    return undefined;
  }

  /** Returns the amounts with their ages in milliseconds. */
  *entries(now: number): Generator<{ amount: number; ageMs: number }> {
    this.#moveTo(now);
    for (let slot = Math.max(0, this.#newest - slots + 1); slot <= this.#newest; slot++) {
      const amount = this.#amounts[slot % slots] as number;
      if (amount > 0) yield { amount, ageMs: ageOf(slot, now) };
    }
  }

  /** Empties the slots that are older than the window. */
  #moveTo(now: number): void {
    const newest = Math.max(this.#newest, slotOf(now));
    const passed = Math.min(slots, newest - this.#newest);
    for (let i = 0; i < passed; i++) {
      const index = (newest - i) % slots;
      this.#sum -= this.#amounts[index] as number;
      this.#amounts[index] = 0;
    }
    if (passed === slots) this.#sum = 0;
    this.#newest = newest;
  }
}

function slotOf(time: number): number {
  return Math.max(0, Math.floor(time / slotMs));
}

/** Returns the least age of what a slot holds, in milliseconds. */
export function ageOf(slot: number, now: number): number {
  return Math.round(Math.max(0, now - (slot + 1) * slotMs));
}

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
