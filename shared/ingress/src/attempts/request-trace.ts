import type { IncomingHttpHeaders } from 'node:http';
import type {
  Envelope,
  ErrorKind,
  FinishEvent,
  GenerateEvent,
  Route,
  TraceHeaders,
} from '@model-gateway/canonical';
import { type Catalog, telemetryName } from '@model-gateway/catalog';
import { isJsonObject, parseJsonObject } from '@model-gateway/json';
import {
  isSpan,
  type LoggedAddress,
  operationNames,
  parseTraceParent,
  type Span,
  type SpanAttributes,
  type TraceParent,
  type Tracing,
  traceHeadersOf,
  usageAttributes,
  writeTraceParent,
} from '@model-gateway/service';

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

/** The facts of an attempt as its span begins. */
interface BegunAttempt {
  route: Route;
  cause: AttemptCause;
  /** Slot among the attempts of the request, from 1. */
  number: number;
  envelope: Pick<Envelope, 'operation' | 'model' | 'stream'>;
  openedAt: number;
}

interface EndedAttempt {
  outcome: NotedOutcome;
  error: string | undefined;
  queuedMs: number | undefined;
  /** True if a worker accepted it. */
  accepted: boolean | undefined;
}

/** The span of an attempt, from its opening to its end, with the wait for a worker as a span below it. */
export class AttemptSpan {
  readonly #span: Span;
  readonly #openedAt: number;

  /** `provider`: the name of the provider's kind in traces; its own name if it is not known. */
  constructor(
    parent: Span,
    { route, cause, number, envelope, openedAt }: BegunAttempt,
    provider = route.provider,
  ) {
    const { operation, model, stream } = envelope;
    const name = operationNames[operation];
    const attributes: SpanAttributes = {
      'gen_ai.operation.name': name,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': route.model,
      'gen_ai.request.stream': stream || undefined,
      'gateway.model': model,
      'gateway.fallback': route.fallback,
      'gateway.provider': route.provider,
      'gateway.key': route.key,
      'gateway.pool': route.pool,
      'gateway.attempt.number': number,
      'gateway.attempt.cause': cause,
    };
    this.#openedAt = openedAt;
    this.#span = parent.child(`${name} ${route.model}`, { kind: 'client', attributes, at: openedAt });
  }

  get headers(): TraceHeaders {
    return this.#span.headers;
  }

  /** Notes the first events of the answer, `ms` after the opening. */
  began(events: readonly GenerateEvent[], ms: number): void {
    const { id, model } = answerIdentity(events) ?? {};
    this.#span.event('gen_ai.first_chunk', undefined, this.#openedAt + ms);
    this.#span.set({
      'gen_ai.response.time_to_first_chunk': ms / 1_000,
      'gen_ai.response.id': id,
      'gen_ai.response.model': model,
    });
  }

  finished({ reason, raw, usage, closed }: FinishEvent): void {
    // Each response of a session has a span of its own.
    if (closed) return this.#span.set({ 'gateway.session.close_code': closed.code });
    this.#span.set({
      'gen_ai.response.finish_reasons': [raw ?? reason],
      ...usageAttributes(usage),
    });
  }

  end({ outcome, error, queuedMs = 0, accepted }: EndedAttempt): void {
    const wait = this.#span.child('wait for a worker', { kind: 'internal', at: this.#openedAt });
    if (!accepted) wait.set({ 'gateway.accepted': false });
    wait.end(this.#openedAt + queuedMs);
    this.#span.set({ 'gateway.attempt.outcome': outcome });
    if (error) this.#span.fail(error);
    this.#span.end();
  }
}

/**
 * The reason of an attempt: `first`; `failover` to another target, or `fallback` to one of another model, after a failure; `retry`
 * of the same; `hedge` beside one that has not answered; `lost-worker`, after its worker was lost.
 */
export type AttemptCause = 'first' | 'failover' | 'fallback' | 'retry' | 'hedge' | 'lost-worker';

/** The end of an attempt. `overtaken`: another one of the request answered first. `cancelled`: the client left. */
export type NotedOutcome = 'answered' | 'failed' | 'lost' | 'overtaken' | 'cancelled';

/** The upstream's id of an answer, and its name of the model. */
interface AnswerIdentity {
  id?: string;
  model?: string;
}

/** Largest whole answer that is parsed for its id, in bytes. */
const maxParsed = 64 * 1024;
/** Longest id and name that are read, in characters. */
const maxName = 256;

/** Returns the identity in the first events of an answer, in the terms of any wire format; undefined if it is not there. */
function answerIdentity(events: readonly GenerateEvent[]): AnswerIdentity | undefined {
  for (const event of events) {
    if (event.type === 'start') return named(event.id, event.model);
    if (event.type === 'verbatim') return passedIdentity(event.bytes);
  }
  return undefined;
}

/** Reads a whole JSON answer, or the first JSON of a stream's events. */
function passedIdentity(bytes: Uint8Array): AnswerIdentity | undefined {
  if (bytes.length > maxParsed) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = text[0] === openBrace ? text : firstData(text);
  const answer = whole && parseJsonObject(whole);
  if (!answer) return undefined;
  // An event of messages holds the head of its message, one of responses its response.
  const { message, response } = answer;
  const head = isJsonObject(message) ? message : isJsonObject(response) ? response : answer;
  return named(head.id ?? head.responseId, head.model ?? head.modelVersion);
}

const openBrace = 0x7b;

/** Returns the JSON of the first event of a stream. */
function firstData(text: Buffer): Buffer | undefined {
  const start = text.indexOf('data: {');
  if (start < 0) return undefined;
  const end = text.indexOf('\n', start);
  return end < 0 ? undefined : text.subarray(start + 'data: '.length, end);
}

function named(id: unknown, model: unknown): AnswerIdentity {
  return { ...(isName(id) && { id }), ...(isName(model) && { model }) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxName;
}
