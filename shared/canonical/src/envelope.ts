import type { RequestExtras } from './request-extras.ts';
import type { TraceHeaders } from './trace.ts';
import type { PromptEstimate } from './units.ts';
import type { WireFormat } from './wire-format.ts';

export const operations = [
  'generate',
  'count-tokens',
  'embed',
  'rerank',
  'moderate',
  'image',
  'speech',
  'transcribe',
  'realtime',
] as const;
export type Operation = (typeof operations)[number];

/** The operations' names in error messages: `This model does not support …`. */
export const operationLabels: Record<Operation, string> = {
  generate: 'text generation',
  'count-tokens': 'token counting',
  embed: 'embeddings',
  rerank: 'reranking',
  moderate: 'moderation',
  image: 'image generation',
  speech: 'speech',
  transcribe: 'transcription',
  realtime: 'realtime sessions',
};

/** A target to try: a provider's name and the model's name at that provider. */
export interface TargetRef {
  provider: string;
  model: string;
}

/** Timeouts of an upstream, in milliseconds. */
export interface Timeouts {
  firstToken: number;
  idle: number;
  total: number;
}

/** One way to send a request: chosen once, at the ingress, from one state of the catalog. */
export interface Route extends TargetRef {
  /** Name of the model to which the target belongs, if it takes the request over from the one that was asked for. */
  fallback?: string;
  /** Pool of the workers that may call the provider. */
  pool: string;
  /** Name of the provider's credential; absent if the provider needs none. */
  key?: string;
  /** Format of the upstream. */
  format: WireFormat;
  /**
   * The form of the call's body: the client's own text, the canonical request as JSON, or the client's form, which is a
   * {@link Form} as JSON followed by the bytes of its files.
   */
  body: 'verbatim' | 'canonical' | 'form';
  /** Version of the provider's record in the catalog. */
  version: number;
  timeouts: Timeouts;
  /** Request fields that the model does not accept. */
  drop: readonly string[];
  /** The model's limits, in tokens. */
  limits: { context?: number | undefined; maxOutput?: number | undefined };
}

/**
 * The metadata sent over the bus with each request's body: all that a worker needs to serve it. It is small;
 * only the dialect of the body's format reads the body.
 */
export interface Envelope {
  /** Value of `x-request-id`, for the logs on both sides of the bus. */
  requestId: string;
  operation: Operation;
  /** Format of the client's text. */
  format: WireFormat;
  /** Endpoint of the format, where several serve the operation: `edits`, `translations`. */
  variant?: string;
  /** The model name that the client sent. */
  model: string;
  stream: boolean;
  /** True if the response is raw bytes, passed on as they arrive. */
  bytes?: boolean;
  /** Number of inputs, where an upstream may limit them per request. */
  inputs?: number;
  /** Length of the request's audio in seconds, if known. */
  seconds?: number;
  /** True if the request is made again should its answer break off: it is not charged then. A call of which nothing was sent is, too. */
  repeats?: boolean;
  /** An estimate of the usage before the answer. Absent for sessions. */
  estimate?: PromptEstimate;
  /** The hosted tools and the service tier; absent for most requests and for sessions. */
  extras?: RequestExtras;
  /**
   * Length of the client's text at the beginning of the body, in bytes: 0 for a canonical request, the length of the
   * JSON for a form. For a session: the length of its first message if the session starts with it, else 0.
   */
  textLength: number;
  route: Route;
  /**
   * True if the text's history contains what the vendor of this format rejects: what another vendor made, such as
   * signatures, and what upstreams and clients write wrongly. The dialect that forwards the text mends it.
   */
  foreign?: boolean;
  /** Latest end of the call, in milliseconds since 1970. */
  endsAt?: number;
  /** The client's token, for usage records and shares. `weight` is 1 if absent. */
  token: {
    id: string;
    project: string;
    weight?: number;
    owner?: string;
    tags?: Record<string, string>;
    /** Shows control that the request is the token's: only ingresses can make it. Usage records of workers repeat it. */
    proof?: string;
  };
  /** True for a request of a realtime session that the gateway holds. Its usage is recorded as the session's. */
  session?: boolean;
  /** The trace that the call belongs to; absent if the ingress records none. */
  trace?: TraceHeaders;
  /** Client headers forwarded to an upstream of the same format. */
  headers: Record<string, string>;
}
