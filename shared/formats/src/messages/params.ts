import type { Closed } from '../values/schemas.ts';
import type { Written } from '../values/value-table.ts';
import type { MessagesRequest } from './request.ts';
import type { MessagesEffort, messagesTiers } from './values.ts';

/*
 * Requests of `POST /v1/messages` as the gateway writes them: MessageCreateParamsBase in Anthropic's SDK and the types
 * it refers to, with only the fields that a translation sets.
 */

/** A cache breakpoint (`CacheControlEphemeral`). */
export interface MessagesCacheControl {
  type: 'ephemeral';
  ttl?: '5m' | '1h';
}

interface Cacheable {
  cache_control?: MessagesCacheControl;
}

/** Data of any media type: the upstream refuses those that it does not support. */
interface Base64Source {
  type: 'base64';
  media_type: string;
  data: string;
}

/** Media by URL, or stored with the vendor (`BetaFileImageSource`, `BetaFileDocumentSource`). */
export type MessagesStoredSource = { type: 'url'; url: string } | { type: 'file'; file_id: string };

export interface MessagesPlainTextSource {
  type: 'text';
  media_type: 'text/plain';
  data: string;
}

export interface MessagesTextParam extends Cacheable {
  type: 'text';
  text: string;
}

export interface MessagesImageParam extends Cacheable {
  type: 'image';
  source: Base64Source | MessagesStoredSource;
}

export interface MessagesDocumentParam extends Cacheable {
  type: 'document';
  source: Base64Source | MessagesStoredSource | MessagesPlainTextSource;
  title?: string;
}

/** A block of a user turn or of a tool result. */
export type MessagesContentParam = MessagesTextParam | MessagesImageParam | MessagesDocumentParam;

export interface MessagesToolUseParam extends Cacheable {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
}

export interface MessagesToolResultParam extends Cacheable {
  type: 'tool_result';
  tool_use_id: string;
  content: string | MessagesContentParam[];
  is_error?: boolean;
}

/** Reasoning with its signature, or reasoning that only its vendor can read. */
export type MessagesReasoningParam =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

/** A content block of a request (`ContentBlockParam`). */
export type MessagesBlockParam =
  | MessagesContentParam
  | MessagesToolUseParam
  | MessagesToolResultParam
  | MessagesReasoningParam;

/** One turn of a conversation (`MessageParam`). */
export interface MessagesTurnParam {
  role: 'user' | 'assistant';
  content: MessagesBlockParam[];
}

/** A tool that the client runs (`Tool`). */
export interface MessagesCustomToolParam extends Cacheable {
  name: string;
  description?: string;
  input_schema: Record<string, unknown>;
  strict?: boolean;
}

/** The vendor's web search (`WebSearchTool20250305`). */
export interface MessagesWebSearchParam {
  type: 'web_search_20250305';
  name: 'web_search';
  user_location?: {
    type: 'approximate';
    city?: string;
    country?: string;
    region?: string;
    timezone?: string;
  };
}

export type MessagesToolParam = MessagesCustomToolParam | MessagesWebSearchParam;

/** The choice among the tools (`ToolChoice`). */
export type MessagesToolChoiceParam =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: boolean }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean }
  | { type: 'none' };

type Display = 'summarized' | 'omitted';

/** Thinking up to a budget, adaptive thinking, or none (`ThinkingConfigParam`). */
export type MessagesThinkingParam =
  | { type: 'enabled'; budget_tokens: number; display?: Display }
  | { type: 'adaptive'; display?: Display }
  | { type: 'disabled' };

/** Reasoning effort and output format (`OutputConfig`). */
export interface MessagesOutputConfigParam {
  effort?: MessagesEffort;
  format?: { type: 'json_schema'; schema: Record<string, unknown> };
}

type Plain = 'model' | 'max_tokens' | 'temperature' | 'top_p' | 'top_k' | 'stop_sequences' | 'stream';

/** The body of a request. */
export interface MessagesRequestParams extends Pick<Closed<MessagesRequest>, Plain> {
  system?: MessagesTextParam[];
  messages: MessagesTurnParam[];
  tools?: MessagesToolParam[];
  tool_choice?: MessagesToolChoiceParam;
  thinking?: MessagesThinkingParam;
  output_config?: MessagesOutputConfigParam;
  metadata?: { user_id: string };
  service_tier?: Written<typeof messagesTiers>;
}
