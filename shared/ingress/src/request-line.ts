import type { GatewayError } from '@model-gateway/canonical';
import { type Log, type LoggedAddress, loggedAddress, type Settings } from '@model-gateway/service';
import type { NotedAttempt } from './attempts/noted-attempt.ts';
import type { RequestTrace } from './attempts/request-trace.ts';
import type { Prices } from './costs/prices.ts';
import { quantitiesOf } from './costs/quantities.ts';
import type { RunningEntry } from './running/running-entry.ts';

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
    if (error.kind === 'internal' || (error.kind === 'overloaded' && error.cause))
      return this.#log.error({ ...this.#fields(end), err: error.cause ?? error }, 'failed');
    const { upstream, endedBy, fault, code } = error.details;
    const { kind, message } = error;
    this.#lines.info(
      { ...this.#fields(end), kind, code, error: message, upstream, fault, endedBy },
      'failed',
    );
  }

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
    return {
      requestId,
      trace_id: trace?.traceId,
      span_id: trace?.spanId,
      endpoint,
      ...(entry && { format: entry.format, operation: entry.operation, stream: entry.stream }),
      model,
      ...(entry && this.#served(entry, model)),
      token: tokenId,
      ...(entry?.token && {
        tokenName: entry.token.name,
        project: entry.token.project,
        owner: entry.token.owner,
      }),
      client: client && this.#address(client),
      status,
      ...(entry && entry.attempts > 0 && timesOf(entry)),
      ms: Math.round(ms),
    };
  }

  /** Returns what is known of the last attempt, and of those before it that failed. */
  #served(entry: RunningEntry, model: string): object {
    const { noted, attempts } = entry;
    const last = noted.findLast(({ outcome }) => outcome === 'answered') ?? noted.at(-1);
    if (!last) return {};
    const { route, usage } = last;
    const others = noted.filter(attempt => attempt !== last || attempt.outcome !== 'answered');
    return {
      provider: route.provider,
      upstreamModel: route.model,
      key: route.key,
      fallback: route.fallback,
      outcome: last.outcome,
      attempts,
      ...(others.length > 0 && { failures: others.map(failureOf) }),
      ...(usage && {
        inputTokens: usage.input,
        cachedTokens: usage.cachedInput || undefined,
        outputTokens: usage.output,
        cost: this.#costOf(entry, model, last),
      }),
    };
  }

  #costOf({ token, operation }: RunningEntry, model: string, attempt: NotedAttempt): number | undefined {
    const { usage, route } = attempt;
    if (!usage || !token || !operation) return undefined;
    return this.#prices.costOf({
      ...quantitiesOf(usage),
      project: token.project,
      model,
      fallback: route.fallback,
      provider: route.provider,
      upstreamModel: route.model,
      operation,
      at: new Date(),
    });
  }
}

function timesOf({ noted, bytes, at }: RunningEntry): object {
  const first = noted.find(({ firstMs }) => firstMs !== undefined);
  const queueMs = noted.reduce((sum, { queuedMs = 0 }) => sum + queuedMs, 0);
  return { bytes, queueMs, firstMs: first && Math.max(0, first.openedAt - at + (first.firstMs ?? 0)) };
}

function failureOf({ route, cause, outcome, error, ms }: NotedAttempt): object {
  const { provider, model, key } = route;
  return { provider, model, key, cause, outcome, error, ms };
}
