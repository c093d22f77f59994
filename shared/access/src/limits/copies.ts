import type { Clock } from '@model-gateway/clock';
import type { Counters } from './counters.ts';
import { ageOf, heldMs, slots } from './counts.ts';
import type { Counted } from './limits.ts';
import {
  type CopiedCount,
  type CopyPart,
  type CopyVersion,
  type FromLeader,
  type KnownCounts,
  type PastCount,
  partsOf,
} from './messages.ts';

/** The ways of a leader to the other processes. */
export interface LeaderLine {
  /** False while nothing that is sent would arrive. */
  connected(): boolean;
  /** Sends a message to a process. */
  answer(to: string, message: FromLeader): void;
  /** Sends a message to all processes. */
  answerAll(message: FromLeader): void;
  /** Calls `missed` if NATS does not have the connection of a process. */
  probe(process: string, missed: () => void): void;
}

/**
 * The copies of a leader's counts at the other processes. They are told of each slot before it can be used: messages, and the requests that
 * use it, leave by one connection, in their order. Some slots are told ahead, so that few requests need a message.
 */
export class Copies {
  readonly #counters: Counters;
  readonly #line: LeaderLine;
  readonly #clock: Clock;
  readonly #term: number;
  #number = 0;

  constructor(counters: Counters, line: LeaderLine, term: number, clock: Clock) {
    this.#counters = counters;
    this.#line = line;
    this.#term = term;
    this.#clock = clock;
  }

  /** Tells what was granted and lent of limits, unless that was told ahead. */
  tell(counted: readonly Counted[], now: number): void {
    if (!this.#line.connected() || this.#counters.isTold(counted, now)) return;
    this.#send(this.#counters.tellAhead(counted, now));
  }

  /** Tells all that has changed, at least that there is nothing. */
  tellChanges(now: number): void {
    if (!this.#line.connected()) return;
    for (const part of partsOf(this.#counters.tellChanges(now), 'keys')) this.#send(part);
  }

  /** Sends a whole copy to a process, or to all. */
  tellAll(now: number, to?: string): void {
    if (!this.#line.connected()) return;
    // Those that have a copy must not miss what one more process is told.
    if (to !== undefined) this.tellChanges(now);
    const parts = partsOf(this.#counters.tellAll(now), 'keys');
    for (const [i, counts] of parts.entries()) {
      const left = parts.length - 1 - i;
      const copy = this.#part(counts, { left, ...(i === 0 && { first: true }) });
      if (to === undefined) this.#line.answerAll({ copy });
      else this.#line.answer(to, { copy });
    }
  }

  #send(counts: CopiedCount[]): void {
    if (counts.length > 0) this.#number++;
    this.#line.answerAll({ copy: this.#part(counts) });
  }

  #part(counts: CopiedCount[], whole?: Pick<CopyPart, 'left' | 'first'>): CopyPart {
    return { term: this.#term, number: this.#number, at: this.#clock.monotonic(), ...whole, counts };
  }
}

/** The most keys that are held before those without a count are dropped. */
const manyKeys = 10_000;

/** The part of a copy that has come, until all of it has. */
interface Coming extends CopyVersion {
  left: number;
  counts: Map<string, CopiedCount>;
}

/** A copy of the leader's counts, from which another process goes on if the leader is lost. */
export class CountsCopy {
  #version: CopyVersion = { term: 0, number: 0 };
  #counts = new Map<string, CopiedCount>();
  #coming: Coming | undefined;
  /** The time of the last message, by the leader's clock and by this process's. */
  #at = { there: 0, here: 0 };
  #dropAt = manyKeys;

  get version(): CopyVersion {
    return this.#version;
  }

  /** Reads a message. Returns false if one before it was not read. */
  read(part: CopyPart, now: number): boolean {
    if (part.left !== undefined) return this.#readWhole(part, part.left, now);
    const { term, number } = this.#version;
    const isNext = part.number === number + (part.counts.length > 0 ? 1 : 0);
    if (part.term !== term || !isNext) return false;
    this.#version = { term, number: part.number };
    this.#at = { there: part.at, here: now };
    for (const count of part.counts) this.#put(count);
    if (this.#counts.size >= this.#dropAt) this.#dropOld(now);
    return true;
  }

  /** Returns what the copy holds. What the leader may have granted since counts as granted now. */
  known(now: number): KnownCounts {
    const there = this.#at.there + now - this.#at.here;
    const past = [...this.#counts.values()].map(({ key, spare, slots }): PastCount => {
      const pairs = (kind: 1 | 2) => [
        ...slots.map((slot): [number, number] => [slot[kind], ageOf(slot[0], there)]),
        [spare[kind - 1] as number, 0] as [number, number],
      ];
      const used = (kind: 1 | 2) => pairs(kind).filter(([amount, ageMs]) => amount > 0 && ageMs <= heldMs);
      return { key, requests: used(1), tokens: used(2) };
    });
    return {
      ...this.#version,
      past: past.filter(({ requests, tokens }) => requests.length + tokens.length > 0),
    };
  }

  #readWhole({ term, number, at, first, counts }: CopyPart, left: number, now: number): boolean {
    const before = this.#coming;
    const goesOn = before?.term === term && before.number === number && before.left === left + 1;
    if (!first && !goesOn) return false;
    const coming = first || !before ? { term, number, left, counts: new Map<string, CopiedCount>() } : before;
    coming.left = left;
    for (const count of counts) coming.counts.set(count.key, count);
    this.#coming = left > 0 ? coming : undefined;
    if (left > 0) return true;
    this.#version = { term, number };
    this.#counts = coming.counts;
    this.#at = { there: at, here: now };
    return true;
  }

  #put({ key, spare, from, slots: told }: CopiedCount): void {
    const before = this.#counts.get(key)?.slots ?? [];
    const oldest = (told.at(-1)?.[0] ?? from) - slots;
    const kept = before.filter(([slot]) => slot < from && slot > oldest);
    const held = [...kept, ...told];
    if (held.length + spare[0] + spare[1] === 0) this.#counts.delete(key);
    else this.#counts.set(key, { key, spare, from: 0, slots: held });
  }

  #dropOld(now: number): void {
    const there = this.#at.there + now - this.#at.here;
    for (const [key, { spare, slots: held }] of this.#counts) {
      const last = held.at(-1)?.[0];
      const isOld = last === undefined || ageOf(last, there) > heldMs;
      if (isOld && spare[0] + spare[1] === 0) this.#counts.delete(key);
    }
    this.#dropAt = Math.max(manyKeys, 2 * this.#counts.size);
  }
}
