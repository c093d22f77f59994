import type { GenerateFormat } from './wire-format.ts';

/** One turn of a conversation. Consecutive tool results form one `tool` message. */
export type Message =
  | { role: 'system'; content: TextPart[] }
  | { role: 'user'; content: UserPart[] }
  | { role: 'assistant'; content: AssistantPart[] }
  | { role: 'tool'; content: ToolResultPart[] };

export type Tool =
  | {
      type: 'function';
      name: string;
      description?: string;
      /** JSON Schema; absent if the function takes no arguments. */
      parameters?: Record<string, unknown>;
      strict?: boolean;
      cache?: CacheHint;
    }
  /** A tool that takes free text; `format` is the grammar as in the chat format. */
  | { type: 'custom'; name: string; description?: string; format?: Record<string, unknown> }
  /** A web search that the vendor runs; `own` is the tool as the client wrote it, with the fields that only its format has. */
  | {
      type: 'web-search';
      location?: SearchLocation;
      /** The only sites to search. */
      allowedDomains?: string[];
      /** Sites not to search. */
      blockedDomains?: string[];
      /** The share of the results that the model reads: a client's value, which only the upstream checks. */
      contextSize?: unknown;
      /** The name by which the client's tool choice refers to the search; `web_search` if absent. */
      choiceName?: string;
      own?: { format: GenerateFormat; value: Record<string, unknown> };
    }
  /** A tool that the vendor of one format runs. */
  | { type: 'opaque'; format: GenerateFormat; value: Record<string, unknown> };

/** Approximate location of the end user. */
export interface SearchLocation {
  city?: string;
  /** Two-letter code. */
  country?: string;
  region?: string;
  /** Such as `Europe/Oslo`. */
  timezone?: string;
}

/** The choice among the tools; `names` limits it to some of them. */
export type ToolChoice =
  | { type: 'auto' | 'required'; names?: string[] }
  | { type: 'none' }
  | { type: 'tool'; name: string };

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** Amount of reasoning: a level, a number of tokens, or adaptive, where the model decides. */
export type Reasoning = {
  effort?: Effort;
  budget?: number;
  adaptive?: boolean;
  /** True if the text of the reasoning is requested. */
  show?: boolean;
};

/** The form of the answer: free text, any JSON object, or JSON that a schema describes. */
export type Output =
  | { type: 'text' }
  | { type: 'json' }
  | { type: 'schema'; schema: Record<string, unknown>; name?: string; strict?: boolean };

/** A canonical generate request. Fields that were not set stay absent: upstreams apply their own defaults. */
export interface GenerateRequest {
  messages: Message[];
  /** True if the last message is the beginning of the answer, which the model continues. */
  continuesLastTurn?: boolean;
  /** True if the client's format demands that a conversation begins with the user's turn. */
  userFirst?: boolean;
  /** True if a signature in the client's format is a part of its own, before the part that it signs. */
  signaturesBefore?: boolean;
  /** Further prompts of a text completion; each adds its `n` choices after those of `messages`. */
  others?: Message[][];
  tools?: Tool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stop?: string[];
  reasoning?: Reasoning;
  output?: Output;
  n?: number;
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  logprobs?: { top?: number };
  logitBias?: Record<string, number>;
  modalities?: string[];
  verbosity?: string;
  serviceTier?: string;
  /** An opaque id of the end user. */
  user?: string;
  metadata?: Record<string, string>;
  /** Requests with the same key share a cached prompt. */
  cacheKey?: string;
  /** Names of the extensions that cannot be left out, since they request features that only one vendor has. */
  vendorFields?: { format: GenerateFormat; names: string[] };
  /** Fields that only one format has, keyed by that format. */
  extensions?: Partial<Record<GenerateFormat, Record<string, unknown>>>;
}

/** A cache breakpoint: upstreams that cache prompts cache the prefix that ends here. */
export interface CacheHint {
  ttl?: '5m' | '1h';
}

export interface TextPart {
  type: 'text';
  text: string;
  cache?: CacheHint;
  citations?: Citation[];
  /** Signature of the text, which some vendors send. */
  signature?: Signature;
}

/** A source of a text. */
export interface Citation {
  url: string;
  title: string;
  /** Offsets in the part's text, in UTF-16 code units; if absent, the citation covers all of the text. */
  start?: number;
  end?: number;
}

/**
 * The content of a media part, or its location. A file id belongs to one vendor and is never sent to another.
 */
export type MediaSource =
  | { type: 'base64'; data: string }
  | { type: 'url'; url: string }
  | { type: 'text'; text: string }
  | { type: 'file'; id: string; format: GenerateFormat };

export interface MediaPart {
  type: 'media';
  kind: 'image' | 'audio' | 'document';
  source: MediaSource;
  /** Such as `image/png`; absent if the source does not tell. */
  mediaType?: string;
  /** A document's file name or title. */
  name?: string;
  cache?: CacheHint;
}

/** A vendor's signature of its own reasoning; it is never sent to another vendor. */
export interface Signature {
  format: GenerateFormat;
  value: string;
}

export interface ReasoningPart {
  type: 'reasoning';
  /** Empty if the vendor returns no text. */
  text: string;
  signature?: Signature;
  /** True if the vendor returns only the signature. */
  redacted?: boolean;
}

export interface ToolCallPart {
  type: 'tool-call';
  id: string;
  name: string;
  /** JSON as the model wrote it, which may be empty or invalid; free text for a `custom` tool. */
  arguments: string;
  custom?: boolean;
  signature?: Signature;
  cache?: CacheHint;
}

export interface ToolResultPart {
  type: 'tool-result';
  callId: string;
  content: (TextPart | MediaPart | OpaquePart)[];
  error?: boolean;
  cache?: CacheHint;
}

interface RefusalPart {
  type: 'refusal';
  text: string;
}

/** A block that only one format has, forwarded unchanged to upstreams of that format. */
export interface OpaquePart {
  type: 'opaque';
  format: GenerateFormat;
  value: Record<string, unknown>;
}

export type UserPart = TextPart | MediaPart | OpaquePart;
export type AssistantPart = TextPart | MediaPart | ReasoningPart | ToolCallPart | RefusalPart | OpaquePart;
export type Part = UserPart | AssistantPart | ToolResultPart;

/**
 * Reason why a model stopped, in one vocabulary for all formats. `other` is a cut whose reason is not known, or is none of these: clients
 * are told of a cut.
 */
export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'refusal'
  | 'pause'
  | 'other';
