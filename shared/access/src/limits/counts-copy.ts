import type { CopiedCount, CopyPart, CopyVersion, KnownCounts, PastCount } from './known-counts.ts';
import { ageOf, heldMs, slots } from './window.ts';

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
