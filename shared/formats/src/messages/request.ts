import { z } from 'zod';
import { anyObject, type Closed, modelName, objectOrEmptyList } from '../values/schemas.ts';
import type { Written } from '../values/value-table.ts';
import type { MessagesEffort, messagesTiers } from './fields.ts';

/*
 * Messages as in the types of Anthropic's SDK (MessageCreateParamsBase and what it refers to). Only what
 * every upstream agrees on is checked: unknown fields pass, since clients gain fields weekly.
 */

const text = z.string();
/** Like `jsonObject`, with the error text of this format. */
const object = anyObject('object');
const integer = z.number().refine(Number.isInteger, { message: 'integer' }).meta({ type: 'integer' });
const listOf = <T extends z.ZodType>(item: T) => z.array(item);

/** A content block whose type alone is validated. */
export const messagesAnyBlock = z.looseObject({ type: text });
export type MessagesAnyBlock = z.infer<typeof messagesAnyBlock>;

const content = z.union([text, listOf(messagesAnyBlock)], { error: 'string or list' });

/** Returns an assistant's message whose content is null, as upstreams answer without content, with an empty list. */
function withContent(message: unknown): unknown {
  const { role, content } = Object(message) as Record<string, unknown>;
  return role === 'assistant' && content === null ? { ...Object(message), content: [] } : message;
}

/** One message of a conversation. */
export const messagesMessage = z.preprocess(
  withContent,
  z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content }),
);
export type MessagesMessage = z.infer<typeof messagesMessage>;

/** The body of `POST /v1/messages/count_tokens`; a generate request has these fields too. */
export const messagesCountRequest = z.looseObject({
  model: modelName,
  messages: listOf(messagesMessage).min(1),
  system: z.union([text, listOf(messagesAnyBlock)], { error: 'string or list' }).nullish(),
  tools: listOf(object).nullish(),
  tool_choice: z.looseObject({ type: text }).nullish(),
  thinking: z.looseObject({ type: text }).nullish(),
  output_config: object.nullish(),
  output_format: object.nullish(),
  cache_control: object.nullish(),
});
export type MessagesCountRequest = z.infer<typeof messagesCountRequest>;

/** The body of `POST /v1/messages`. `null` means not set. */
export const messagesRequest = z.looseObject({
  ...messagesCountRequest.shape,
  max_tokens: integer.refine(n => n >= 1, { params: { minimum: 1 } }).meta({ minimum: 1 }),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: integer
    .refine(n => n >= 0, { params: { minimum: 0 } })
    .meta({ minimum: 0 })
    .nullish(),
  stream: z.boolean().nullish(),
  stop_sequences: listOf(text).nullish(),
  metadata: z.looseObject({ user_id: text.nullish() }).nullish(),
  service_tier: text.nullish(),
});
export type MessagesRequest = z.infer<typeof messagesRequest>;

const cacheControl = z.looseObject({ ttl: text.nullish() }).nullish();

export const messagesTextBlock = z.looseObject({ text, cache_control: cacheControl });

const base64Source = z.looseObject({ type: z.literal('base64'), media_type: text, data: text });
const urlSource = z.looseObject({ type: z.literal('url'), url: text });
const fileSource = z.looseObject({ type: z.literal('file'), file_id: text });

export const messagesImageBlock = z.looseObject({
  source: z.discriminatedUnion('type', [base64Source, urlSource, fileSource]),
  cache_control: cacheControl,
});
export type MessagesImageSource = z.infer<typeof messagesImageBlock>['source'];

export const messagesDocumentBlock = z.looseObject({
  source: z.discriminatedUnion('type', [
    base64Source,
    urlSource,
    fileSource,
    z.looseObject({ type: z.literal('text'), media_type: text.nullish(), data: text }),
    z.looseObject({ type: z.literal('content'), content }),
  ]),
  title: text.nullish(),
  context: text.nullish(),
  cache_control: cacheControl,
});

export const messagesToolUseBlock = z.looseObject({
  id: text.min(1),
  name: text.min(1),
  input: objectOrEmptyList(object).nullish(),
  cache_control: cacheControl,
});

export const messagesToolResultBlock = z.looseObject({
  tool_use_id: text.min(1),
  content: content.nullish(),
  is_error: z.boolean().nullish(),
  cache_control: cacheControl,
});

/** A thinking block; if unsigned, its signature is empty or absent. */
export const messagesThinkingBlock = z.looseObject({ thinking: text, signature: text.nullish() });
export const messagesRedactedBlock = z.looseObject({ data: text });

/** A tool that the client runs; the vendor runs tools of any other type. */
export const messagesCustomTool = z.looseObject({
  name: text.min(1),
  description: text.nullish(),
  input_schema: objectOrEmptyList(object),
  strict: z.boolean().nullish(),
  cache_control: cacheControl,
});

const place = text.min(1).optional().catch(undefined);
const domains = listOf(text).optional().catch(undefined);

/** The vendor's web search, of any version. Malformed members count as not set. */
export const messagesWebSearchTool = z.looseObject({
  user_location: z
    .looseObject({ city: place, country: place, region: place, timezone: place })
    .optional()
    .catch(undefined),
  allowed_domains: domains.describe('The only sites to search, or sites to exclude.'),
  blocked_domains: domains,
});

/** A source of a block's text, found by the vendor's web search. */
export const messagesWebCitation = z.looseObject({
  type: z.literal('web_search_result_location'),
  url: text,
  title: text.nullish(),
  cited_text: text.nullish().describe('Text quoted from the source.'),
  encrypted_index: text.nullish().describe("The vendor's signature of the source."),
});
export type MessagesWebCitation = z.infer<typeof messagesWebCitation>;

export const messagesToolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), disable_parallel_tool_use: z.boolean().nullish() }),
  z.looseObject({ type: z.literal('any'), disable_parallel_tool_use: z.boolean().nullish() }),
  z.looseObject({ type: z.literal('tool'), name: text, disable_parallel_tool_use: z.boolean().nullish() }),
  z.looseObject({ type: z.literal('none') }),
]);

/** `budget_tokens` is present if the type is `enabled`. */
export const messagesThinking = z.looseObject({
  type: text,
  budget_tokens: integer.nullish(),
  display: text.nullish(),
});

/** Reasoning effort and output format. */
export const messagesOutputConfig = z.looseObject({ effort: text.nullish(), format: object.nullish() });
export const messagesJsonFormat = z.looseObject({ type: z.literal('json_schema'), schema: object });

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
interface MessagesWebSearchParam {
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
