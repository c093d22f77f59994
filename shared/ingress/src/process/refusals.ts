import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type {
  ErrorKind,
  GatewayError,
  RefusedCount,
  RefusedRecord,
  RefusedRequest,
} from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import { secrets } from '../logging/kinds.ts';
import type { Observed } from './request-line.ts';

/** The most requests of a token in a minute that a process records one by one; all are counted. */
export const refusedOfToken = 5;
/** The same of all tokens together. */
export const refusedInAll = 30;
/** The most counts of a minute: one for each token, model, status and reason. Further requests are counted without their token. */
export const mostRefusedCounts = 1_000;
/** Time between two records of a count, in milliseconds. */
export const refusedEveryMs = 2_000;

const minuteMs = 60_000;
/** The most characters of a name that the client chose. */
const maxName = 200;
/** The most of them that are searched for secrets. */
const maxRead = 2_000;

/** A request that has ended with an error. */
type Refused = Pick<
  Observed,
  'requestId' | 'endpoint' | 'model' | 'status' | 'tokenId' | 'project' | 'entry'
>;

/**
 * Counts the requests that a process refuses, and records a few of them. The work for a further one is a step of a count, so that a
 * flood loads neither this process, nor NATS, nor the database.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #add: (record: RefusedRecord) => void;
  readonly #process = randomUUID();
  /** Start of the minute that is counted, in milliseconds since 1970. */
  #start = 0;
  readonly #counts = new Map<string, RefusedCount>();
  readonly #changed = new Set<RefusedCount>();
  /** Requests of this minute that were recorded one by one, by token. */
  readonly #recorded = new Map<string, number>();
  #recordedInAll = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, add: (record: RefusedRecord) => void) {
    this.#clock = clock;
    this.#add = add;
  }

  /** Notes a request that the gateway itself refused: no upstream was called. */
  note(request: Refused, error: GatewayError): void {
    const now = this.#clock.now();
    const start = now - (now % minuteMs);
    if (start !== this.#start) this.#begin(start);
    const count = this.#countOf(request, error.kind);
    count.count++;
    this.#changed.add(count);
    this.#timer ??= this.#clock.setTimeout(() => this.flush(), refusedEveryMs).unref();
    if (count.tokenId !== '') this.#record(count, request, error, now);
  }

  /** Sends the counts that have changed. */
  flush(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const count of this.#changed) this.#add({ ...count });
    this.#changed.clear();
  }

  #begin(start: number): void {
    this.flush();
    this.#start = start;
    this.#counts.clear();
    this.#recorded.clear();
    this.#recordedInAll = 0;
  }

  #countOf({ tokenId = '', project = '', model, status, entry }: Refused, reason: ErrorKind): RefusedCount {
    const key = `${tokenId} ${status} ${reason} ${model}`;
    const known = this.#counts.get(key);
    if (known) return known;
    if (tokenId !== '' && this.#counts.size >= mostRefusedCounts)
      return this.#countOf({ ...withoutToken, status }, reason);
    const owner = entry?.owner;
    const count: RefusedCount = {
      ...{ refused: 'count', process: this.#process, start: this.#start },
      ...{ tokenId, project, ...(owner && { owner }), model, status, reason, count: 0 },
    };
    this.#counts.set(key, count);
    return count;
  }

  #record(
    { tokenId, project }: RefusedCount,
    { requestId, endpoint, entry, model, status }: Refused,
    error: GatewayError,
    at: number,
  ): void {
    const ofToken = this.#recorded.get(tokenId) ?? 0;
    if (ofToken >= refusedOfToken || this.#recordedInAll >= refusedInAll) return;
    this.#recorded.set(tokenId, ofToken + 1);
    this.#recordedInAll++;
    const { code, param } = error.details;
    const owner = entry?.owner;
    const record: RefusedRequest = {
      ...{ refused: 'request', recordId: randomUUIDv7(), requestId, at, endpoint },
      ...{ tokenId, project, ...(owner && { owner }) },
      ...{ model: nameOf(entry?.model || model), status, reason: error.kind },
      ...(code && { code: nameOf(code) }),
      ...(param && { param: nameOf(param) }),
    };
    this.#add(record);
  }
}

const withoutToken = { requestId: '', endpoint: '', model: '', tokenId: '', project: '' };

/** Returns the beginning of a name without secrets: clients mix up fields. */
function nameOf(text: string): string {
  const name = secrets.reduce((rest, redact) => redact(rest), text.slice(0, maxRead));
  return name.slice(0, maxName).toWellFormed();
}
