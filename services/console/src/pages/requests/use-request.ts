import type { RunningInfo, UsageEntry } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, ofUser } from '../api.ts';

/** The facts of a request that may be known before it is read: the id of its token. */
interface RequestHint {
  token?: string | undefined;
}

/** Returns the time in the id of a request, in milliseconds since 1970; undefined if it has none. */
export function timeIn(id: string): number | undefined {
  const digits = /^req_([0-9a-f]{12})[0-9a-f]{12}$/.exec(id)?.[1];
  const time = digits === undefined ? 0 : Number.parseInt(digits, 16);
  return time > earliest && time < Date.now() + aroundMs ? time : undefined;
}

/** The time from which on ids of requests begin with their time, in milliseconds since 1970. */
const earliest = Date.UTC(2026, 0);
/** Time around a known one in which the attempts of a request are looked for, in milliseconds. */
const aroundMs = 2 * 3_600_000;
/** The pause between two looks at a request that runs, in milliseconds. */
const pauseMs = 1_000;
/** The number of looks for attempts that the ledger may not have yet. */
const looks = 6;

/** Reads a request: as it runs, and its attempts in the ledger, oldest first. */
export function useRequest(id: string, hint: RequestHint) {
  const running = useQuery({
    queryKey: [ofUser, 'running-request', id],
    queryFn: ({ signal }) => findRunning(id, hint.token, signal),
    select: ({ request }) => request,
    refetchInterval: ({ state: { data } }) => (data?.request || data?.isPartial ? pauseMs : false),
  });
  const isRunning = Boolean(running.data);
  const attempts = useQuery({
    queryKey: [ofUser, 'attempts', id],
    queryFn: ({ signal }) => findAttempts(id, hint, signal),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      isRunning ? 2 * pauseMs : data?.length === 0 && dataUpdateCount < looks && timeIn(id) ? pauseMs : false,
  });
  const wasRunning = useRef(false);
  const { refetch } = attempts;
  // The last attempt is in the ledger a second or two after the end.
  useEffect(() => {
    const hasEnded = wasRunning.current && !isRunning;
    wasRunning.current = isRunning;
    if (!hasEnded) return;
    const later = [pauseMs, 3 * pauseMs].map(ms => setTimeout(() => void refetch(), ms));
    return () => later.forEach(clearTimeout);
  }, [isRunning, refetch]);
  return { running, attempts };
}

interface Found {
  request: RunningInfo | null;
  /** True if a process did not answer, which may serve the request. */
  isPartial: boolean;
}

async function findRunning(id: string, token: string | undefined, signal: AbortSignal): Promise<Found> {
  let isPartial = false;
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = { ...(token && { token }), limit: '1000', ...(cursor && { cursor }) };
    const page: Awaited<ReturnType<typeof listRunning>> = await listRunning(query, signal);
    const found = page.data.find(({ requestId }) => requestId === id);
    if (found) return { request: found, isPartial };
    isPartial ||= page.unanswered.length > 0;
    cursor = page.next;
  }
  return { request: null, isPartial };
}

const listRunning = (query: Record<string, string>, signal: AbortSignal) =>
  api.call('listRunning', { query, signal });

async function findAttempts(id: string, hint: RequestHint, signal: AbortSignal): Promise<UsageEntry[]> {
  const time = timeIn(id);
  const found = time ? await attemptsAround(id, hint, time, signal) : [];
  if (found.length > 0) return found;
  const newest = await newestAttempt(id, signal);
  return newest ? attemptsAround(id, newest, Date.parse(newest.at), signal) : [];
}

/** A time and a token lead to the attempts quickly in a ledger of any size. */
async function attemptsAround(
  id: string,
  { token }: RequestHint,
  time: number,
  signal: AbortSignal,
): Promise<UsageEntry[]> {
  const [from, to] = [time - aroundMs, time + aroundMs].map(ms => new Date(ms).toISOString()) as [
    string,
    string,
  ];
  const query = { request: id, from, to, limit: '1000', ...(token && { token }) };
  const { data } = await api.call('listUsage', { query, signal });
  return data.toReversed();
}

/** Searches the whole ledger, newest first. A page that found nothing goes on where it stopped. */
async function newestAttempt(id: string, signal: AbortSignal): Promise<UsageEntry | undefined> {
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = { request: id, limit: '1', ...(cursor && { cursor }) };
    const page: Awaited<ReturnType<typeof listUsage>> = await listUsage(query, signal);
    if (page.data[0]) return page.data[0];
    cursor = page.next;
  }
  return undefined;
}

const listUsage = (query: Record<string, string>, signal: AbortSignal) =>
  api.call('listUsage', { query, signal });
