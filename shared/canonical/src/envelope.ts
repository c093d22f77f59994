import { askedForTier, type WireFormat } from './wire-format.ts';

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

/** The place of a call in a trace, as the headers of W3C Trace Context. */
export interface TraceHeaders {
  /** `00-<trace id>-<span id>-<flags>`; the last digit of the flags is 1 if the trace is sampled. */
  traceparent: string;
  /** Entries of tracing systems, passed on unread. */
  tracestate?: string;
}

/** A content type that an endpoint may accept. */
export type BodyType = 'application/json' | 'multipart/form-data';

/** A file of a form; its bytes are sent separately. */
export interface FormFile {
  /** Name of the form field. */
  name: string;
  filename: string;
  mediaType: string;
  /** Size in bytes. */
  size: number;
}

/** A `multipart/form-data` body: its fields and its files, each in order. */
export interface Form {
  fields: [name: string, value: string][];
  files: FormFile[];
}

/** Quantities other than tokens that some models are billed by. */
export interface Units {
  /** Images generated. */
  images?: number;
  /** Seconds of audio. */
  seconds?: number;
  /** Characters spoken. */
  characters?: number;
  /** Rerank queries, of up to 100 documents each. */
  searches?: number;
  /** Searches of the web by a hosted tool. */
  webSearches?: number;
}

/** An estimate of what an upstream uses of a request whatever it answers: tokens of its input, and what is counted beside them. */
export interface PromptEstimate {
  /** In tokens. */
  input: number;
  units?: Units;
  /** Output tokens, such as reasoning, that nearly all streams of the model hide at most. Absent if that is not known. */
  hidden?: number;
}

/** Returns an equal part of an estimate, for one of several upstream calls. */
export function partOf(estimate: PromptEstimate, calls: number): PromptEstimate {
  if (calls === 1) return estimate;
  const { input, units } = estimate;
  const part = units && Object.entries(units).map(([unit, count]) => [unit, Math.ceil(count / calls)]);
  return { ...estimate, input: Math.ceil(input / calls), ...(part && { units: Object.fromEntries(part) }) };
}

/** The name of the tools that search the web, in every format. */
export const webSearchTool = 'web_search';

/** A tool that the upstream runs, as a request offers it. */
export interface HostedTool {
  /** Such as `web_search` or `code_interpreter`. */
  name: string;
  /** The field of the request that holds it. */
  field: string;
  /** True if only a target of the request's own format gets it. */
  own?: true;
}

/** The hosted tools and the service tier of a request: upstreams bill hosted tools apart, and other service tiers at other prices. */
export interface RequestExtras {
  format: WireFormat;
  tools?: readonly HostedTool[];
  /** A service tier other than the usual one. */
  tier?: string;
}

/** A route, as far as it decides which of them an upstream gets. */
interface ServingRoute {
  /** `verbatim` for the client's own text. */
  body: string;
  /** Format of the upstream. */
  format: WireFormat;
  /** Fields that it is not sent. */
  drop: readonly string[];
}

/** The hosted tools and the service tier that an attempt is billed for. */
export interface BilledExtras {
  /** The names of the hosted tools. */
  hostedTools?: string[];
  serviceTier?: string;
}

/** The names of the tier that every request has unless it asks for another. */
const usualTiers: ReadonlySet<string> = new Set([
  'auto',
  'default',
  'standard',
  'standard_only',
  'on_demand',
]);

export function isUsualTier(tier: string): boolean {
  return usualTiers.has(tier.toLowerCase());
}

/** Returns what a parsed request asks for beside tokens, to be spread into it; nothing if it is only usual. */
export function extrasOf(
  format: WireFormat,
  tools: readonly HostedTool[],
  tier: unknown,
): { extras?: RequestExtras } {
  const isTier = typeof tier === 'string' && tier !== '' && !isUsualTier(tier);
  if (tools.length === 0 && !isTier) return {};
  return { extras: { format, ...(tools.length > 0 && { tools }), ...(isTier && { tier }) } };
}

/** Returns a tier that translated requests ask for, by the same name in each format that has it; undefined for any other. */
export function translatedTier(tier: string | undefined): 'flex' | 'priority' | undefined {
  return tier === 'flex' || tier === 'priority' ? tier : undefined;
}

/** Returns what an attempt over a route is billed for: what the route drops, or no target of its format gets, is not. */
export function billedExtras(
  { tools = [], tier }: RequestExtras,
  { body, format, drop }: ServingRoute,
): BilledExtras {
  const isOwn = body === 'verbatim';
  const isDropped = ({ name, field }: HostedTool) =>
    drop.includes(field) || (name === webSearchTool && drop.includes('web_search_options'));
  const names = tools.filter(tool => (isOwn || !tool.own) && !isDropped(tool)).map(({ name }) => name);
  const isSent =
    tier !== undefined && (isOwn || (translatedTier(tier) !== undefined && askedForTier(format) !== 'none'));
  const hasTier = isSent && !drop.includes('service_tier') && !drop.includes('serviceTier');
  return {
    ...(names.length > 0 && { hostedTools: [...new Set(names)] }),
    ...(hasTier && { serviceTier: tier }),
  };
}
