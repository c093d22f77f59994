import { type GatewayError, reasonOf } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import {
  BoundedNames,
  Children,
  counter,
  gauge,
  histogram,
  type Log,
  type LoggedAddress,
  loggedAddress,
  type Registry,
  type Settings,
} from '@model-gateway/service';
import type { RequestTrace } from '../attempts/request-trace.ts';
import type { NotedAttempt } from '../attempts/running-attempt.ts';
import { type Prices, quantitiesOf } from '../costs/prices.ts';
import type { RunningEntry } from '../running/running-entry.ts';

/** A finished request, for logs and metrics. */
export interface Observed extends Omit<LoggedEnd, 'ms'> {
  /** The token's project. */
  project?: string;
  /** Time to the first part of a streamed answer, in milliseconds; absent if there was none. */
  firstMs?: number | undefined;
  /** Start of the request, by the monotonic clock. */
  startedAt: number;
}

export interface Observer {
  began(): void;
  ended(request: Observed): void;
}

/**
 * Creates an observer that counts, times and logs requests, with one log line each. `record` takes each request that failed, or took
 * several attempts.
 */
export function createObserver(
  metrics: Registry,
  lines: RequestLines,
  clock: Clock,
  record: (request: Observed) => void,
): Observer {
  let running = 0;
  gauge(metrics, 'gateway_requests_running', () => running);
  const measure = measureRequests(metrics);
  return {
    began: () => void running++,
    ended(request) {
      const ms = clock.monotonic() - request.startedAt;
      running--;
      measure(request, ms);
      lines.write({ ...request, ms });
      if (request.error || (request.entry && request.entry.attempts > 1)) record(request);
    },
  };
}

/** Returns the function that measures each request once it has ended, after `ms` milliseconds. */
function measureRequests(metrics: Registry): (request: Observed, ms: number) => void {
  const time = histogram(metrics, 'gateway_request_seconds');
  const first = histogram(metrics, 'gateway_first_token_seconds');
  const ofProject = counter(metrics, 'gateway_project_requests_total');
  const errors = counter(metrics, 'gateway_errors_total');
  const times = new Children((endpoint, model, status) => time.labels(endpoint, model, status));
  const firsts = new Children((endpoint, model) => first.labels(endpoint, model));
  const projects = new Children((project, status) => ofProject.labels(project, status));
  const names = new BoundedNames();
  return ({ endpoint, model, status, project, firstMs, error }, ms) => {
    times.of(endpoint, model, String(status)).observe(ms / 1_000);
    if (firstMs !== undefined) firsts.of(endpoint, model).observe(firstMs / 1_000);
    if (project !== undefined) projects.of(names.of(project), String(status)).inc();
    if (error) errors.inc({ endpoint, kind: error.kind, reason: reasonOf(error) ?? '' });
  };
}

/** A finished request, for its line in the log. */
export interface LoggedEnd {
  requestId: string;
  endpoint: string;
  /** The model's name in the catalog; empty if the request failed before its lookup. */
  model: string;
  tokenId?: string;
  /** The client's address; absent for background work. */
  client?: string | undefined;
  status: number;
  /** Its duration, in milliseconds. */
  ms: number;
  error?: GatewayError | undefined;
  /** The trace of a request without an entry, if it has one. */
  trace?: RequestTrace | undefined;
  /** The entry of a request to a model among the requests in flight. */
  entry?: RunningEntry | undefined;
}

export const requestLineSettings = ['LOG_REQUESTS', 'LOG_CLIENT'] as const;

/** Writes one line for each finished request. */
export class RequestLines {
  readonly #log: Log;
  /** The line's fields hold no secrets, and redaction would cost more than the line. */
  readonly #lines: Log;
  readonly #prices: Prices;
  readonly #address: LoggedAddress;
  /** The part of the answered requests that is logged, 0 to 1. */
  readonly #part: number;

  constructor(
    log: Log,
    prices: Prices,
    { LOG_REQUESTS: requests, LOG_CLIENT: client }: Settings<(typeof requestLineSettings)[number]>,
  ) {
    this.#log = log;
    this.#lines = log.child({}, { redact: [] });
    this.#prices = prices;
    this.#address = loggedAddress(client);
    this.#part = requests === 'all' ? 1 : Number(requests.split(':')[1] ?? 0);
  }

  /** Logs a request. Failed ones are always logged. */
  write(end: LoggedEnd): void {
    const { error } = end;
    if (!error) {
      if (this.#part >= 1 || Math.random() < this.#part) this.#lines.info(this.#fields(end), 'answered');
      return;
    }
    // The operator must fix internal errors and full resources.
    const reason = reasonOf(error);
    if (error.kind === 'internal' || (reason && error.cause))
      return this.#log.error({ ...this.#fields(end), reason, err: error.cause ?? error }, 'failed');
    const { upstream, endedBy, fault, code } = error.details;
    const { kind, message } = error;
    this.#lines.info(
      { ...this.#fields(end), kind, reason, code, error: message, upstream, fault, endedBy },
      'failed',
    );
  }

  /** Returns all fields in one literal: spreads of several objects take twice as long. */
  #fields({
    requestId,
    endpoint,
    model,
    tokenId,
    client,
    status,
    ms,
    entry,
    trace = entry?.trace,
  }: LoggedEnd): object {
    const token = entry?.token;
    const last = entry && lastOf(entry);
    const route = last?.route;
    const usage = last?.usage;
    const times = entry && entry.attempts > 0 ? timesOf(entry) : undefined;
    return {
      requestId,
      trace_id: trace?.traceId,
      span_id: trace?.spanId,
      endpoint,
      format: entry?.format,
      operation: entry?.operation,
      stream: entry?.stream,
      model,
      provider: route?.provider,
      upstreamModel: route?.model,
      key: route?.key,
      fallback: route?.fallback,
      outcome: last?.outcome,
      attempts: last && entry?.attempts,
      failures: last && failuresOf(entry, last),
      inputTokens: usage?.input,
      cachedTokens: usage?.cachedInput || undefined,
      outputTokens: usage?.output,
      cost: last && this.#costOf(entry, model, last),
      token: tokenId,
      tokenName: token?.name,
      project: token?.project,
      owner: token?.owner,
      client: client && this.#address(client),
      status,
      bytes: times?.bytes,
      queueMs: times?.queueMs,
      firstMs: times?.firstMs,
      ms: Math.round(ms),
    };
  }

  #costOf(entry: RunningEntry, model: string, attempt: NotedAttempt): number | undefined {
    const { token, operation } = entry;
    const { usage, route } = attempt;
    if (!usage || !token || !operation) return undefined;
    return this.#prices.costOf({
      ...entry.billed(attempt),
      ...quantitiesOf(usage),
      project: token.project,
      model,
      fallback: route.fallback,
      provider: route.provider,
      upstreamModel: route.model,
      operation,
      at: this.#prices.now(),
    });
  }
}

/** Returns the attempt that answered, else the last one. */
function lastOf({ noted }: RunningEntry): NotedAttempt | undefined {
  return noted.findLast(({ outcome }) => outcome === 'answered') ?? noted.at(-1);
}

/** Returns the times of a request, in milliseconds, and the size of its answer, in bytes. */
function timesOf({ noted, bytes, at }: RunningEntry): {
  bytes: number;
  queueMs: number;
  firstMs?: number | undefined;
} {
  const first = noted.find(({ firstMs }) => firstMs !== undefined);
  const queueMs = noted.reduce((sum, { queuedMs = 0 }) => sum + queuedMs, 0);
  return { bytes, queueMs, firstMs: first && Math.max(0, first.openedAt - at + (first.firstMs ?? 0)) };
}

/** Returns the attempts that failed; undefined if none did. */
function failuresOf({ noted }: RunningEntry, last: NotedAttempt): object[] | undefined {
  const failed = noted.filter(attempt => attempt !== last || attempt.outcome !== 'answered');
  return failed.length > 0 ? failed.map(failureOf) : undefined;
}

function failureOf({ route, cause, outcome, error, ms }: NotedAttempt): object {
  const { provider, model, key } = route;
  return { provider, model, key, cause, outcome, error, ms };
}
