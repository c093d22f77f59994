import type { UsageWriter } from '@model-gateway/bus';
import { type GatewayError, recordHead, type UsageRecord, type WireFormat } from '@model-gateway/canonical';
import type { NotedAttempt } from '../attempts/running-attempt.ts';
import type { RunningEntry } from '../running/running-entry.ts';
import type { Refusals } from './refusals.ts';
import type { Observed } from './request-line.ts';

/** Records what only an ingress knows of a request that has ended: the attempts that others followed, and that it was refused. */
export function recordEnd(
  request: Observed,
  usage: Pick<UsageWriter, 'addBeside'>,
  refusals: Pick<Refusals, 'note'>,
): void {
  const { error, entry } = request;
  if (entry && entry.attempts > 1) for (const record of followed(entry, error)) usage.addBeside(record);
  if (error && isRefused(error, entry)) refusals.note(request, error);
}

/** True if no upstream was called. A session with an upstream of its own has no noted attempts. */
function isRefused({ kind, details }: GatewayError, entry: RunningEntry | undefined): boolean {
  if (kind === 'cancelled') return false;
  const noted = entry?.noted ?? [];
  return noted.length > 0 ? noted.every(({ unsent }) => unsent) : !details.upstream;
}

/** Records the attempts that failed of a request that is answered now: it may go on for long. */
export function recordRecovered(entry: RunningEntry, usage: Pick<UsageWriter, 'addBeside'>): void {
  for (const record of followed(entry, undefined)) usage.addBeside(record);
}

/**
 * Returns records of the attempts that failed, and with which their request does not end. Their workers do not know that another
 * attempt followed; the records of these have the rest.
 */
function followed(entry: RunningEntry, error: GatewayError | undefined): UsageRecord[] {
  const isSession = entry.operation === 'realtime';
  const endsInFailure = isSession || (error !== undefined && error.kind !== 'cancelled');
  return deliveriesOf(entry.noted).flatMap(attempts => {
    const failed = attempts.filter(({ outcome, unsent }) => outcome === 'failed' && !unsent);
    const isFailed = attempts.every(({ outcome }) => outcome === 'failed');
    const last = endsInFailure && isFailed ? failed.at(-1) : undefined;
    const others = failed.filter(attempt => attempt !== last && !attempt.followed);
    for (const attempt of others) attempt.followed = true;
    return others.flatMap(attempt => recordsOf(entry, attempt));
  });
}

/** Splits the attempts of a session by its responses; those of a request are one list. */
function deliveriesOf(noted: readonly NotedAttempt[]): NotedAttempt[][] {
  const lists: NotedAttempt[][] = [];
  for (const attempt of noted) {
    const list = attempt.cause === 'first' ? undefined : lists.at(-1);
    if (list) list.push(attempt);
    else lists.push([attempt]);
  }
  return lists;
}

function recordsOf(entry: RunningEntry, attempt: NotedAttempt): UsageRecord[] {
  const { requestId, operation, stream, model, token } = entry;
  const { call, route, openedAt, ms, error } = attempt;
  if (!call || !token || !operation) return [];
  const format = entry.format as WireFormat;
  const envelope = { requestId, operation, format, stream, model, token, route };
  return call.attempts.map(id => ({
    ...recordHead(envelope, { id, provider: route.provider, model: route.model }),
    ...{ at: openedAt, ms, outcome: 'failed', charged: false, usage: null, byCaller: true, final: false },
    ...(error && { error: error as NonNullable<UsageRecord['error']> }),
  }));
}
