import type { GenerateFormat } from '../envelope.ts';

/** Asks an upstream that caches prompts to keep the prefix that ends here. */
export interface CacheHint {
  ttl?: '5m' | '1h';
}

export interface TextPart {
  type: 'text';
  text: string;
  cache?: CacheHint;
  citations?: Citation[];
  /** Some vendors sign a text, too. */
  signature?: Signature;
}

/** What a text is taken from. */
export interface Citation {
  url: string;
  title: string;
  /** Offsets in the part's text, in characters as strings count them; where absent, all of the text is meant. */
  start?: number;
  end?: number;
}

/** Where a medium's content is. File ids belong to one vendor and never cross to another. */
export type MediaSource =
  | { type: 'base64'; data: string }
  | { type: 'url'; url: string }
  | { type: 'text'; text: string }
  | { type: 'file'; id: string; format: GenerateFormat };

export interface MediaPart {
  type: 'media';
  kind: 'image' | 'audio' | 'document';
  source: MediaSource;
  /** Such as `image/png`; absent where the source does not say. */
  mediaType?: string;
  /** A document's file name or title. */
  name?: string;
  cache?: CacheHint;
}

/** What proves to a vendor that reasoning is its own; no other vendor may be shown it. */
export interface Signature {
  format: GenerateFormat;
  value: string;
}

export interface ReasoningPart {
  type: 'reasoning';
  /** Empty where the vendor shows none of it. */
  text: string;
  signature?: Signature;
  /** The vendor shows nothing but the signature. */
  redacted?: boolean;
}

export interface ToolCallPart {
  type: 'tool-call';
  id: string;
  name: string;
  /** JSON as the model wrote it, which may be empty or broken; free text for a `custom` tool. */
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

export interface RefusalPart {
  type: 'refusal';
  text: string;
}

/** A block that only one format has, kept whole for upstreams of that format. */
export interface OpaquePart {
  type: 'opaque';
  format: GenerateFormat;
  value: Record<string, unknown>;
}

export type UserPart = TextPart | MediaPart | OpaquePart;
export type AssistantPart = TextPart | MediaPart | ReasoningPart | ToolCallPart | RefusalPart | OpaquePart;
export type Part = UserPart | AssistantPart | ToolResultPart;
