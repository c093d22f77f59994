import type { Envelope, ErrorKind, TraceHeaders } from '@model-gateway/canonical';
import { parseTraceParent, type Span, type Tracing } from '@model-gateway/service';

/** The parts of a worker that continue the traces of calls. */
export interface TraceDeps {
  /** Absent if the process makes no spans. */
  tracing: Tracing | undefined;
  /** True if upstreams are told of traces. */
  toUpstreams: boolean;
}

/** A request to an upstream in a trace. */
export interface TracedRequest {
  /** Undefined if the trace is not sampled. */
  span: Span | undefined;
  /** The headers that tell the upstream. They are not to be signed, since proxies may change them. */
  headers: TraceHeaders | undefined;
}

/** The place of a call in a trace, and its span if the trace is sampled. */
export class CallTrace {
  readonly #headers: TraceHeaders;
  readonly #toUpstreams: boolean;
  readonly #span: Span | undefined;

  constructor({ tracing, toUpstreams }: TraceDeps, headers: TraceHeaders, operation: string) {
    this.#headers = headers;
    this.#toUpstreams = toUpstreams;
    this.#span = tracing?.continue('serve', headers, {
      kind: 'server',
      attributes: { 'gateway.operation': operation },
    });
  }

  /** Begins a request to an upstream. Its query is left out, since it may hold a credential. */
  toUpstream(origin: string, path: string): TracedRequest {
    const span = this.#span && requestSpan(this.#span, origin, path);
    return { span, headers: this.#toUpstreams ? (span?.headers ?? this.#headers) : undefined };
  }

  end(error: ErrorKind | undefined): void {
    if (error) this.#span?.fail(error);
    this.#span?.end();
  }
}

function requestSpan(parent: Span, origin: string, path: string): Span {
  const url = URL.parse(origin);
  return parent.child('POST', {
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'server.address': url?.hostname,
      'server.port': url ? Number(url.port) || (url.protocol === 'https:' ? 443 : 80) : undefined,
      'url.path': path.split('?')[0],
    },
  });
}

/** Returns the place of a call in a trace, for the log. */
export function traceFields({ trace }: Pick<Envelope, 'trace'>): { trace_id?: string; span_id?: string } {
  const { traceId, spanId } = (trace && parseTraceParent(trace.traceparent)) ?? {};
  return traceId && spanId ? { trace_id: traceId, span_id: spanId } : {};
}
