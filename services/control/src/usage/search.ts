import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import type { AttemptFilter, UsageFilter } from './filter.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A part of the time of the ledger, in milliseconds since 1970. The end is exclusive. */
export interface Part {
  start: number;
  end: number;
}

/** Times of a statement, in milliseconds: below the first, the next one reads a longer part; above the second, a shorter one. */
const aim = { fast: 250, slow: 1_000 };

/**
 * The length of the parts of time that a search reads one after another, in milliseconds. It is adapted to how long they take, so that no
 * statement takes too long in a ledger of any size.
 */
export class SearchStep {
  readonly #least: number;
  readonly #most: number;
  #ms: number;

  constructor({ first = hourMs, least = minuteMs, most = dayMs } = {}) {
    this.#ms = first;
    this.#least = least;
    this.#most = most;
  }

  get ms(): number {
    return this.#ms;
  }

  /** Runs a statement that reads a part of this length, and adapts the length of the next one. */
  async read<Result>(run: () => PromiseLike<Result>): Promise<Result> {
    const began = performance.now();
    const result = await run();
    this.adapt(performance.now() - began);
    return result;
  }

  /** Adapts the length to the time that a part took. */
  adapt(took: number): void {
    if (took < aim.fast) this.#ms = Math.min(this.#most, 2 * this.#ms);
    else if (took > aim.slow) this.#ms = Math.max(this.#least, this.#ms / 4);
  }
}

/** True if a filter has a condition that no index of the ledger knows, so that attempts are read that do not fulfil it. */
export function isSearch({ from, to, token, tags = [], ...others }: AttemptFilter): boolean {
  return tags.length > 0 || Object.values(others).some(wanted => wanted !== undefined);
}

/** Returns the part of a filter's time that has attempts. */
export async function searchedSpan(db: Database, { from, to }: UsageFilter): Promise<Part> {
  const atOf = (which: 'min' | 'max') => sql<string | null>`${sql.raw(which)}(${usage.at})`;
  const [found] = await db.select({ first: atOf('min'), last: atOf('max') }).from(usage);
  if (!found?.first || !found.last) return { start: 0, end: 0 };
  return {
    start: Math.max(Date.parse(found.first), from?.getTime() ?? Number.NEGATIVE_INFINITY),
    end: Math.min(Date.parse(found.last) + 1, to?.getTime() ?? Number.POSITIVE_INFINITY),
  };
}
