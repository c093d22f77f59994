import type { GenerateFormat } from '../envelope.ts';
import type { AssistantPart, CacheHint, TextPart, ToolResultPart, UserPart } from './part.ts';

/** One turn of a conversation. A run of tool results is one `tool` message. */
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
      /** JSON Schema; absent where the function takes no arguments. */
      parameters?: Record<string, unknown>;
      strict?: boolean;
      cache?: CacheHint;
    }
  /** Takes free text; `format` is the grammar as the chat format has it. */
  | { type: 'custom'; name: string; description?: string; format?: Record<string, unknown> }
  /** Searches the web, run by the vendor; `own` is the tool as the client's format has it, with what only that has. */
  | {
      type: 'web-search';
      location?: SearchLocation;
      own?: { format: GenerateFormat; value: Record<string, unknown> };
    }
  /** A tool that the vendor of one format runs itself. */
  | { type: 'opaque'; format: GenerateFormat; value: Record<string, unknown> };

/** About where the end user is. */
export interface SearchLocation {
  city?: string;
  /** Two letters. */
  country?: string;
  region?: string;
  /** Such as `Europe/Oslo`. */
  timezone?: string;
}

/** `names` limits the choice to some of the tools. */
export type ToolChoice =
  | { type: 'auto' | 'required'; names?: string[] }
  | { type: 'none' }
  | { type: 'tool'; name: string };

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** How much to reason: as a level, as a number of tokens, or as much as the model sees fit. */
export type Reasoning = {
  effort?: Effort;
  budget?: number;
  adaptive?: boolean /** Whether its text is wanted. */;
  show?: boolean;
};

export type Output =
  | { type: 'text' }
  | { type: 'json' }
  | { type: 'schema'; schema: Record<string, unknown>; name?: string; strict?: boolean };

/**
 * A request to generate, in no format. What is absent was not set, and nothing is filled in: defaults are what
 * the upstream assumes.
 */
export interface GenerateRequest {
  messages: Message[];
  /** More conversations to answer, each by itself: their answers are further choices, after the `n` of `messages`. */
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
  /** Fields that only one format has, by that format. */
  extensions?: Partial<Record<GenerateFormat, Record<string, unknown>>>;
}
