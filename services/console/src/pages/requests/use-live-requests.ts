import { largestPage, type RunningInfo } from '@model-gateway/admin-api';
import { useEffect, useState } from 'react';
import { api } from '../api.ts';
import { toProblem } from '../problem.ts';
import { followRequests } from './follow-requests.ts';
import { type LiveRequests, noRequests, withChanges, withMissed, withRunning } from './live-requests.ts';

/** The state of the connection that tells of requests. */
export type Connection =
  | { state: 'opening' }
  | { state: 'open' }
  /** It is tried again. */
  | { state: 'lost'; error: unknown }
  /** The gateway refused, and would again. */
  | { state: 'refused'; error: unknown };

/** Pauses before a connection is tried again, in milliseconds; the last one holds for all that follow. */
const pauses = [500, 1_000, 2_000, 5_000, 10_000];

/** The pause before requests are listed again because a process did not answer, in milliseconds. */
const relistMs = 5_000;

/** Follows the requests in flight that a filter names, and connects again when the connection is lost. `again` restarts. */
export function useLiveRequests(query: Record<string, string>): {
  live: LiveRequests;
  connection: Connection;
  /** The processes that did not answer: their requests may be missing. */
  unanswered: readonly string[];
  again(): void;
} {
  const [live, setLive] = useState(noRequests);
  const [connection, setConnection] = useState<Connection>({ state: 'opening' });
  const [unanswered, setUnanswered] = useState<readonly string[]>([]);
  const [round, setRound] = useState(0);
  const key = JSON.stringify(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a further round restarts
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    setLive(noRequests);
    setConnection({ state: 'opening' });
    void keepFollowing(JSON.parse(key) as Record<string, string>, signal, {
      change: apply => signal.aborted || setLive(apply),
      connection: state => signal.aborted || setConnection(state),
      unanswered: names => signal.aborted || setUnanswered(names),
    });
    return () => left.abort();
  }, [key, round]);
  return { live, connection, unanswered, again: () => setRound(round => round + 1) };
}

interface Listener {
  change(apply: (live: LiveRequests) => LiveRequests): void;
  connection(state: Connection): void;
  unanswered(names: readonly string[]): void;
}

async function keepFollowing(
  query: Record<string, string>,
  signal: AbortSignal,
  listener: Listener,
): Promise<void> {
  let lists = 0;
  /** Lists until every process has answered, or a later list has begun. */
  const list = async () => {
    for (const own = ++lists; own === lists && !signal.aborted; await pause(relistMs))
      if (await listRunning(query, signal, listener)) return;
  };
  for (let failures = 0; !signal.aborted; failures++) {
    let error: unknown;
    try {
      const opened = () => {
        failures = -1;
        listener.connection({ state: 'open' });
        void list();
      };
      for await (const { changes, missed } of followRequests(query, signal, opened)) {
        listener.change(live => withMissed(withChanges(live, changes, Date.now()), missed));
        // A request whose end was left out would stay forever.
        if (missed > 0) void list();
      }
    } catch (thrown) {
      error = thrown;
    }
    if (signal.aborted) return;
    if (isRefusal(error)) return listener.connection({ state: 'refused', error });
    listener.connection({ state: 'lost', error });
    await pause(pauses[Math.min(Math.max(0, failures), pauses.length - 1)] as number);
  }
}

/** True for an error with which the gateway would answer again. */
function isRefusal(error: unknown): boolean {
  const { status = 0 } = toProblem(error).facts;
  return status >= 400 && status < 500;
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** Reads the requests that ran before the connection was there. Returns false if another try may find more of them. */
async function listRunning(
  query: Record<string, string>,
  signal: AbortSignal,
  listener: Listener,
): Promise<boolean> {
  const askedAt = Date.now();
  try {
    const found: RunningInfo[] = [];
    const unanswered = new Set<string>();
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof runningPage>> = await runningPage(query, cursor, signal);
      found.push(...page.data);
      for (const name of page.unanswered) unanswered.add(name);
      cursor = page.next;
    }
    listener.unanswered([...unanswered]);
    listener.change(live => withRunning(live, found, askedAt, Date.now()));
    return unanswered.size === 0;
  } catch (error) {
    // The stream of changes goes on without it.
    return isRefusal(error);
  }
}

const runningPage = (query: Record<string, string>, cursor: string, signal: AbortSignal) =>
  api.call('listRunning', {
    query: { ...query, limit: String(largestPage), ...(cursor && { cursor }) },
    signal,
  });
