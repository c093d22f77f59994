import type { PastCount } from './known-counts.ts';

/** Time for which the counts of a leader that stopped are kept for its successor, in milliseconds. */
const handoverMs = 10_000;
/** The longest time between two parts of a handover, in milliseconds. */
const handoverPartsMs = 1_000;

/** The counts of the leader before this one. */
export interface Handover {
  past: PastCount[];
  /** When this process received them, in milliseconds of the monotonic clock. */
  at: number;
}

/** The counts of a leader that stopped, of which each message holds a part. */
export class ReceivedHandover {
  #received: Handover | undefined;

  add(past: readonly PastCount[], now: number): void {
    const before = this.#received && now - this.#received.at < handoverPartsMs ? this.#received : undefined;
    this.#received = { at: before?.at ?? now, past: [...(before?.past ?? []), ...past] };
  }

  /** Returns the counts and forgets them; undefined if there are none, or only old ones. */
  take(now: number): Handover | undefined {
    const received = this.#received;
    this.#received = undefined;
    return received && now - received.at <= handoverMs ? received : undefined;
  }
}
