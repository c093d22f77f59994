import type { PastCount } from './known-counts.ts';
import { isNewer, type KnownCounts } from './known-counts.ts';
import type { LeaderParts } from './leader-parts.ts';
import type { Report } from './messages.ts';

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
