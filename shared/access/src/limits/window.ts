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

export function slotOf(time: number): number {
  return Math.max(0, Math.floor(time / slotMs));
}

/** Returns the least age of what a slot holds, in milliseconds. */
export function ageOf(slot: number, now: number): number {
  return Math.round(Math.max(0, now - (slot + 1) * slotMs));
}
