import type { Accounts } from '../budgets/accounts.ts';
import type { LeaderLine } from './copies.ts';
import {
  type CopyVersion,
  isNewer,
  type KnownCounts,
  type OwnSlots,
  type PastCount,
  type Report,
} from './messages.ts';

/** Time for which the counts of a leader that stopped are kept for its successor, in milliseconds. */
const handoverMs = 10_000;
/** The longest time between two parts of a handover, in milliseconds. */
const handoverPartsMs = 1_000;

/** The counts of the leader before this one. */
interface Handover {
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

/** The slots of a leader that another process knows. */
export interface KnownSlots extends OwnSlots {
  /** When the leader told them, in milliseconds of the monotonic clock. */
  at: number;
}

/** The knowledge with which a leader begins, and its ways to the other processes. */
export interface LeaderParts extends LeaderLine {
  /** The leader's term: greater than that of every leader before. */
  term: number;
  /** The name of this process in messages. */
  name: string;
  /** The running requests of this process. */
  own: Report;
  /** The counts that the leader before handed over, if it did. */
  handover: Handover | undefined;
  /** The slots of the requests of the leader before, if any are known. */
  slots: KnownSlots | undefined;
  /** The version of what this process knew of the counts of the leader before when it was elected. */
  knows: CopyVersion;
  /** The counts of the leader before as this process knows them. */
  known(): KnownCounts;
  /** True while this process is the leader. */
  isLeading(): boolean;
  /** True if the connection was restored just now, so that others may need longer to tell what they know. */
  isAfterCut: boolean;
  /** Resolves once all messages that were sent to this process before have been read. */
  arrived(): Promise<void>;
  /** Called for the first request with a budget; `afterLoss` is true if the leader before handed nothing over. */
  openAccounts(afterLoss: boolean): Accounts;
}

/** Counts of a leader before, as another process sends them. */
interface Offer extends KnownCounts {
  /** When the first part came, in milliseconds of the monotonic clock. */
  at: number;
  left: number;
}

/** The counts of the leader before, as the processes know them: the next one goes on from those that know most. */
export class Inherited {
  readonly #parts: Pick<LeaderParts, 'handover' | 'known'>;
  readonly #coming = new Map<string, Offer>();
  #best: Offer | undefined;
  /** True once they were taken, though nobody knew any. */
  #isMissing = false;

  constructor(parts: Pick<LeaderParts, 'handover' | 'known'>) {
    this.#parts = parts;
  }

  /** Reads a part of what a process knows. Returns the counts that are to be added: the first ones that come late, if none were known. */
  add(from: string, part: NonNullable<Report['known']>, now: number): PastCount[] {
    const { term, number, past, left } = part;
    const before = this.#coming.get(from);
    const goesOn = before?.term === term && before.number === number && before.left === left + 1;
    const offer: Offer = goesOn
      ? { ...before, left, past: [...before.past, ...past] }
      : { term, number, past, left, at: now };
    this.#coming.set(from, offer);
    if (left > 0) return [];
    this.#coming.delete(from);
    if (!this.#best || isNewer(offer, this.#best)) this.#best = offer;
    return this.#isMissing ? this.take(now) : [];
  }

  /** Returns the counts that know most, as of now. */
  take(now: number): PastCount[] {
    const { handover, known } = this.#parts;
    if (handover) return agedBy(handover.past, now - handover.at);
    const own = known();
    const best = this.#best;
    this.#isMissing = !best && own.term === 0;
    return best && isNewer(best, own) ? agedBy(best.past, now - best.at) : own.past;
  }
}

function agedBy(past: readonly PastCount[], ms: number): PastCount[] {
  const aged = (pairs: PastCount['requests']) =>
    pairs.map(([amount, ageMs]): [number, number] => [amount, ageMs + ms]);
  return past.map(({ key, requests, tokens }) => ({ key, requests: aged(requests), tokens: aged(tokens) }));
}
