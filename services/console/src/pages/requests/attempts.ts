import type { UsageEntry } from '@model-gateway/admin-api';

/** A request as its attempts in the ledger tell it. */
export interface PastRequest {
  requestId: string;
  /** Oldest first; at least one. */
  attempts: readonly UsageEntry[];
  /** The attempt that decided how it ended. */
  last: UsageEntry;
  /** From the start of the first attempt to the end of the last one, in milliseconds. */
  ms: number;
  /** In US dollars, of the charged attempts; null if none of them has a known cost. */
  cost: number | null;
  /** In US dollars, of the attempts that the gateway gave up. */
  unchargedCost: number;
  input: number;
  output: number;
  /** Attempts that failed and were followed by another. */
  failovers: number;
}

/** Joins a list of attempts to their requests. What was joined before is not joined again, so a list may grow to 100,000. */
export class JoinedRequests {
  #entries: readonly UsageEntry[] = [];
  #requests: readonly PastRequest[] = [];
  /** The place of each request, by its id. */
  #places = new Map<string, number>();

  /** Takes attempts, newest first, and returns their requests, those with the newest attempt first. */
  update(entries: readonly UsageEntry[]): readonly PastRequest[] {
    if (!continues(this.#entries, entries)) {
      this.#entries = [];
      this.#requests = [];
      this.#places = new Map();
    }
    const requests = [...this.#requests];
    const changed = new Map<number, UsageEntry[]>();
    for (const entry of entries.slice(this.#entries.length)) {
      const place = this.#places.get(entry.requestId) ?? this.#places.size;
      this.#places.set(entry.requestId, place);
      changed.set(place, [...(changed.get(place) ?? requests[place]?.attempts ?? []), entry]);
    }
    for (const [place, attempts] of changed) requests[place] = requestOf(attempts);
    this.#entries = entries;
    this.#requests = requests;
    return requests;
  }
}

/** True if a list begins with another one: entries that are loaded stay the same objects. */
function continues(before: readonly UsageEntry[], entries: readonly UsageEntry[]): boolean {
  return before[0] === entries[0] && before.at(-1) === entries[before.length - 1];
}

/** Makes a request of its attempts; there is at least one. */
export function requestOf(entries: readonly UsageEntry[]): PastRequest {
  const attempts = entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.id < b.id ? -1 : 1));
  const last = attempts.findLast(({ outcome }) => outcome === 'answered') ?? (attempts.at(-1) as UsageEntry);
  const start = Date.parse((attempts[0] as UsageEntry).at);
  const costOf = (isMeant: boolean) =>
    attempts.reduce<number | null>(
      (all, { cost, charged }) => (cost === null || charged !== isMeant ? all : (all ?? 0) + cost),
      null,
    );
  const sum = (of: (usage: NonNullable<UsageEntry['usage']>) => number) =>
    attempts.reduce((all, { usage, charged }) => all + (usage && charged ? of(usage) : 0), 0);
  return {
    requestId: last.requestId,
    attempts,
    last,
    ms: Math.max(...attempts.map(({ at, ms }) => Date.parse(at) + ms)) - start,
    cost: costOf(true),
    unchargedCost: costOf(false) ?? 0,
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    failovers: attempts.filter(entry => entry !== last && ['failed', 'lost'].includes(entry.outcome)).length,
  };
}
