import type { TraceHeaders } from '@model-gateway/canonical';
import type { TraceParent } from '../request-headers.ts';

/** Values of a span's attributes. An undefined one is left out. */
export type SpanAttributes = Record<string, string | number | boolean | string[] | undefined>;

/** `server`: serves a request of another process; `client`: makes one; `internal`: neither. */
export type SpanKind = 'server' | 'client' | 'internal';

export interface SpanOptions {
  kind: SpanKind;
  attributes?: SpanAttributes;
  /** Start in milliseconds since 1970; now if absent. */
  at?: number;
  /** Another trace that caused this span. */
  link?: TraceParent | undefined;
}

/** A step of a sampled trace. */
export interface Span extends TraceParent {
  /** The headers by which the receiver of a call continues the trace below this span. */
  readonly headers: TraceHeaders;
  child(name: string, options: SpanOptions): Span;
  set(attributes: SpanAttributes): void;
  /** Adds an event, at a time in milliseconds since 1970. */
  event(name: string, attributes?: SpanAttributes, at?: number): void;
  /** Marks the span as failed; `type` is a word of a closed set, such as the kind of the error. */
  fail(type: string): void;
  /** Ends the span; `at` as above. Has no effect if it has ended. */
  end(at?: number): void;
}

/** Makes spans, of the traces that are sampled. */
export interface Tracing {
  /**
   * Begins a trace, or continues the one of `parent`, which a client sent. Returns the span if the trace is sampled, else only
   * its ids.
   */
  begin(name: string, parent: TraceHeaders | undefined, options: SpanOptions): Span | TraceParent;
  /** Continues a trace that another process of the gateway began; undefined if it is not sampled. */
  continue(name: string, parent: TraceHeaders | undefined, options: SpanOptions): Span | undefined;
  /** Sends the spans that wait, for a few seconds at most. Never rejects. */
  close(): Promise<void>;
}

/** True for a span, false for the ids of a trace that is not sampled. */
export function isSpan(place: Span | TraceParent | undefined): place is Span {
  return place !== undefined && 'child' in place;
}
