import type { Clock } from '@model-gateway/clock';
import { CountsCopy } from './copies.ts';
import type { LimitLeader } from './leader.ts';
import type { KnownSlots, LeaderParts } from './leader-parts.ts';
import {
  type CopyPart,
  type CopyVersion,
  type End,
  isNewer,
  type KnownCounts,
  type OwnSlots,
  wholeNumber,
} from './messages.ts';

/** The counts of the leader as this process knows them: its own while it was the leader last, or else a copy. */
export class LastCounts {
  readonly #copy = new CountsCopy();
  /** This process as the leader, until it has a copy of a later one's counts. */
  #own: LimitLeader | undefined;
  #slots: KnownSlots | undefined;

  /** The version of what is known. */
  get version(): CopyVersion {
    return this.#own ? { term: this.#own.term, number: wholeNumber } : this.#copy.version;
  }

  /** Returns the counts, for the next leader. */
  known(now: number): KnownCounts {
    return this.#own ? { ...this.version, past: this.#own.handOver() } : this.#copy.known(now);
  }

  /** Returns what this process knows, as it becomes the leader. */
  forLeader(clock: Clock): Pick<LeaderParts, 'knows' | 'known' | 'slots'> {
    return { knows: this.version, known: () => this.known(clock.monotonic()), slots: this.#slots };
  }

  /** Reads the slots of a leader's own requests. */
  readSlots({ from, running, first }: OwnSlots, at: number): void {
    const before = first || this.#slots?.from !== from ? [] : this.#slots.running;
    this.#slots = { from, running: [...before, ...running], at };
  }

  /** Reads a message of a leader. Returns false if this process needs a whole copy. */
  read(part: CopyPart, now: number): boolean {
    // One that this process sent itself, or a leader before it.
    if (this.#own && part.term <= this.#own.term) return true;
    if (!this.#copy.read(part, now)) return false;
    if (isNewer(this.#copy.version, this.version)) this.#own = undefined;
    return true;
  }

  /** Keeps the counts of this process, which has just stopped to be the leader. */
  keep(leader: LimitLeader): void {
    if (leader.hasBegun) this.#own = leader;
  }

  /** Ends a request that this process may have granted as the leader. Returns false if its counts are not known. */
  end(end: End, isLate: boolean): boolean {
    this.#own?.end(end, undefined, isLate);
    return this.#own !== undefined;
  }
}
