import type { RunningChangeInfo, RunningInfo } from '@model-gateway/admin-api';

/** A request of the live list. */
export interface LiveRequest {
  request: RunningInfo;
  /** Null while it runs. */
  end: RunningChangeInfo['end'];
  /** The time at which this was known, in milliseconds since 1970 by the browser's clock. */
  seenAt: number;
}

/** The requests of the live list, by their ids, and how many changes the gateway left out. */
export interface LiveRequests {
  requests: ReadonlyMap<string, LiveRequest>;
  missed: number;
}

export const noRequests: LiveRequests = { requests: new Map(), missed: 0 };

/** The most requests that have ended, of which the oldest ones leave the list. */
export const mostEnded = 500;

/** Adds changes. A request that has ended stays so, whatever comes later. */
export function withChanges(
  live: LiveRequests,
  changes: readonly RunningChangeInfo[],
  seenAt: number,
): LiveRequests {
  const requests = new Map(live.requests);
  for (const { request, end } of changes)
    if (!requests.get(request.requestId)?.end) requests.set(request.requestId, { request, end, seenAt });
  let ended = 0;
  for (const { end } of requests.values()) if (end) ended++;
  for (const [id, { end }] of requests) {
    if (ended <= mostEnded) break;
    if (end && requests.delete(id)) ended--;
  }
  return { ...live, requests };
}

/**
 * Takes the list of all requests that run: those that are not in it ended while no change arrived, and leave the list. Requests of which
 * a change arrived since `askedAt` are newer than the list.
 */
export function withRunning(
  live: LiveRequests,
  running: readonly RunningInfo[],
  askedAt: number,
  seenAt: number,
): LiveRequests {
  const listed = new Map(running.map(request => [request.requestId, request]));
  const requests = new Map(
    [...live.requests].filter(([id, { end, seenAt }]) => end || seenAt >= askedAt || listed.has(id)),
  );
  for (const [id, request] of listed) {
    const known = requests.get(id);
    if (!known?.end && !(known && known.seenAt >= askedAt)) requests.set(id, { request, end: null, seenAt });
  }
  return { ...live, requests };
}

/** Counts changes that the gateway left out. */
export function withMissed(live: LiveRequests, changes: number): LiveRequests {
  return { ...live, missed: live.missed + changes };
}

/** Returns the requests as the list shows them: those that began last are the first. */
export function newestFirst({ requests }: LiveRequests): LiveRequest[] {
  return [...requests.values()].toSorted(
    (a, b) =>
      Date.parse(b.request.at) - Date.parse(a.request.at) ||
      (a.request.requestId < b.request.requestId ? 1 : -1),
  );
}

/** Returns the age of a request in milliseconds: to its end, or to now. */
export function ageOf({ request, end, seenAt }: LiveRequest, now: number): number {
  return end ? request.ms : request.ms + Math.max(0, now - seenAt);
}
