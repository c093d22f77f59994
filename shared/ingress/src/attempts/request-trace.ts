import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorKind, TraceHeaders } from '@model-gateway/canonical';
import { type Catalog, telemetryName } from '@model-gateway/catalog';
import {
  isSpan,
  type LoggedAddress,
  parseTraceParent,
  type Span,
  type SpanAttributes,
  type TraceParent,
  type Tracing,
  traceHeadersOf,
  writeTraceParent,
} from '@model-gateway/service';
import { AttemptSpan, type BegunAttempt } from './attempt-span.ts';

/** The parts of an ingress that make traces. */
export interface TraceDeps {
  /** Absent if the process makes no spans. */
  tracing: Tracing | undefined;
  /** True if the traces of clients are continued. */
  readsClients: boolean;
  catalog: Pick<Catalog, 'provider'>;
  /** Returns a client's address as it may be stored. */
  address: LoggedAddress;
}

/** A request as its trace begins. */
export interface TracedRequest {
  requestId: string;
  /** Its path is without the names in it. */
  endpoint: { method: string; path: string; format: string };
  /** Absent for background work. */
  headers?: IncomingHttpHeaders | undefined;
  client?: string | undefined;
  /** Another trace that caused the request. */
  cause?: TraceHeaders | undefined;
}

/** Begins the trace of a request, or continues the client's; undefined if the process makes none and the client sent none. */
export function beginTrace(deps: TraceDeps, request: TracedRequest): RequestTrace | undefined {
  const { tracing, readsClients, catalog, address } = deps;
  const parent = readsClients && request.headers ? traceHeadersOf(request.headers) : undefined;
  if (!tracing) return parent && new RequestTrace(parseTraceParent(parent.traceparent), parent, catalog);
  const { requestId, client, headers, cause } = request;
  const { method, path, format } = request.endpoint;
  const attributes: SpanAttributes = {
    'http.request.method': method,
    'http.route': path,
    'client.address': client && address(client),
    'user_agent.original': headers?.['user-agent'],
    'gateway.request_id': requestId,
    'gateway.format': format,
  };
  const link = cause && parseTraceParent(cause.traceparent);
  const place = tracing.begin(`${method} ${path}`, parent, { kind: 'server', attributes, link });
  const { tracestate } = parent ?? {};
  const unsampled = { traceparent: writeTraceParent(place), ...(tracestate && { tracestate }) };
  return new RequestTrace(place, isSpan(place) ? place.headers : unsampled, catalog);
}

/** A request's place in a trace, and its span if the trace is sampled. */
export class RequestTrace {
  /** The headers by which a call of the request continues the trace. */
  readonly headers: TraceHeaders;
  readonly #place: Span | TraceParent | undefined;
  readonly #catalog: TraceDeps['catalog'];

  constructor(place: Span | TraceParent | undefined, headers: TraceHeaders, catalog: TraceDeps['catalog']) {
    this.headers = headers;
    this.#place = place;
    this.#catalog = catalog;
  }

  get traceId(): string | undefined {
    return this.#place?.traceId;
  }

  get spanId(): string | undefined {
    return this.#place?.spanId;
  }

  /** Begins the span of an attempt; undefined if the trace is not sampled. */
  attempt(attempt: BegunAttempt): AttemptSpan | undefined {
    if (!isSpan(this.#place)) return undefined;
    const provider = this.#catalog.provider(attempt.route.provider);
    return new AttemptSpan(this.#place, attempt, provider && telemetryName(provider));
  }

  /** Ends the request's span with the facts that are known at its end. A client's mistake is not a failure of the server. */
  end(attributes: SpanAttributes, status: number, error: ErrorKind | undefined): void {
    const span = this.#place;
    if (!isSpan(span)) return;
    span.set({ ...attributes, 'http.response.status_code': status, 'error.type': error });
    if (error && error !== 'cancelled' && (status >= 500 || status < 400)) span.fail(error);
    span.end();
  }
}
