import type { RefusedEntry } from '@model-gateway/admin-api';
import type { Records } from '../layout/reading.ts';
import type { PastRequest } from './attempts.ts';

/** A request of the past: one that reached a provider, or one that the gateway refused before. */
export type HistoryRow =
  | { kind: 'asked'; at: number; request: PastRequest }
  | { kind: 'refused'; at: number; refused: RefusedEntry };

export function askedRow(request: PastRequest): HistoryRow {
  return { kind: 'asked', at: Date.parse(request.attempts.at(-1)?.at ?? request.last.at), request };
}

export function refusedRow(refused: RefusedEntry): HistoryRow {
  return { kind: 'refused', at: Date.parse(refused.at), refused };
}

type List = Pick<Records<unknown>, 'more'> & { rows: readonly HistoryRow[] };

/**
 * Joins two lists, newest first. Of one that has more, the rest may be newer than rows of the other one, which are left out until it
 * is loaded.
 */
export function joinRows(lists: readonly List[]): HistoryRow[] {
  const floor = Math.max(...lists.map(floorOf));
  return lists.flatMap(({ rows }) => rows.filter(({ at }) => at >= floor)).toSorted((a, b) => b.at - a.at);
}

/** Returns the time down to which a list is loaded. */
export function floorOf({ rows, more }: List): number {
  return more ? (rows.at(-1)?.at ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY;
}

/** Returns the page of a request. The id of its token helps to find it while it runs. */
export function requestLink(requestId: string, { token }: { token: string | null }): string {
  const path = `/requests/${encodeURIComponent(requestId)}`;
  return token ? `${path}?${new URLSearchParams({ token })}` : path;
}
