import type { GenerateFormat } from '../wire-format.ts';
import type { AssistantPart, CacheHint, TextPart, ToolResultPart, UserPart } from './part.ts';

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
