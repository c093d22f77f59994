import type { GenerateFormat } from '../wire-format.ts';

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
