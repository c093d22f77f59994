import type { Operation, TraceHeaders, Usage } from '@model-gateway/canonical';
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

/**
 * The values of `gen_ai.operation.name`. `chat` and `embeddings` are of OpenTelemetry's conventions for generative AI, which have
 * no name for the others:
 * https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/#gen-ai-operation-name
 */
export const operationNames: Record<Operation, string> = {
  generate: 'chat',
  'count-tokens': 'count_tokens',
  embed: 'embeddings',
  rerank: 'rerank',
  moderate: 'moderation',
  image: 'generate_image',
  speech: 'speech',
  transcribe: 'transcribe',
  realtime: 'realtime',
};

/** Returns a usage in the attributes of these conventions. */
export function usageAttributes(usage: Usage | null): SpanAttributes {
  if (!usage) return {};
  return {
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInput || undefined,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite5m + usage.cacheWrite1h || undefined,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning || undefined,
  };
}
