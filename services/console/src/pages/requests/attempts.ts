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
  /** In US dollars; null if no attempt has a known cost. */
  cost: number | null;
  input: number;
  output: number;
  /** Attempts that failed and were followed by another. */
  failovers: number;
}

/** Joins attempts, newest first, to their requests, those with the newest attempt first. */
export function requestsOf(entries: readonly UsageEntry[]): PastRequest[] {
  const byRequest = new Map<string, UsageEntry[]>();
  for (const entry of entries) {
    const attempts = byRequest.get(entry.requestId);
    if (attempts) attempts.push(entry);
    else byRequest.set(entry.requestId, [entry]);
  }
  return [...byRequest.values()].map(requestOf);
}

/** Makes a request of its attempts; there is at least one. */
export function requestOf(entries: readonly UsageEntry[]): PastRequest {
  const attempts = entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.id < b.id ? -1 : 1));
  const last = attempts.findLast(({ outcome }) => outcome === 'answered') ?? (attempts.at(-1) as UsageEntry);
  const start = Date.parse((attempts[0] as UsageEntry).at);
  const costs = attempts.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const sum = (of: (usage: NonNullable<UsageEntry['usage']>) => number) =>
    attempts.reduce((all, { usage, charged }) => all + (usage && charged ? of(usage) : 0), 0);
  return {
    requestId: last.requestId,
    attempts,
    last,
    ms: Math.max(...attempts.map(({ at, ms }) => Date.parse(at) + ms)) - start,
    cost: costs.length > 0 ? costs.reduce((all, cost) => all + cost, 0) : null,
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    failovers: attempts.filter(entry => entry !== last && ['failed', 'lost'].includes(entry.outcome)).length,
  };
}
