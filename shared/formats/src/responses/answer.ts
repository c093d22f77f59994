import { z } from 'zod';
import { lenient, optionalText, optionalNumber as tokenCount } from '../values/schemas.ts';

/** Token counts that the gateway writes; all are present. */
export interface ResponsesUsage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

export interface ResponsesUrlCitation {
  type: 'url_citation';
  url: string;
  title: string;
  start_index: number;
  end_index: number;
}

export type ResponsesMessagePart =
  | {
      type: 'output_text';
      text: string;
      annotations: ResponsesUrlCitation[];
      logprobs: Record<string, unknown>[];
    }
  | { type: 'refusal'; refusal: string };

export type ResponsesItemStatus = 'in_progress' | 'completed' | 'incomplete';
interface CallItem {
  id: string;
  call_id: string;
  name: string;
  namespace?: string;
  status: ResponsesItemStatus;
}

/** An output item that the gateway creates. */
export type ResponsesOutputItem =
  | {
      type: 'message';
      id: string;
      role: 'assistant';
      status: ResponsesItemStatus;
      content: ResponsesMessagePart[];
    }
  | ({ type: 'function_call'; arguments: string } & CallItem)
  | ({ type: 'custom_tool_call'; input: string } & CallItem)
  | {
      type: 'tool_search_call';
      id: string;
      call_id: string;
      execution: 'client';
      arguments: unknown;
      status: ResponsesItemStatus;
    }
  | { type: 'image_generation_call'; id: string; status: 'completed'; result: string }
  | {
      type: 'reasoning';
      id: string;
      summary: { type: 'summary_text'; text: string }[];
      encrypted_content?: string;
      status?: ResponsesItemStatus;
    };

/**
 * The response of `POST /v1/responses`, complete or in progress. Every field is present and numbers are never
 * null, since some clients require it.
 */
export interface ResponsesAnswer {
  id: string;
  object: 'response';
  /** Seconds since 1970. */
  created_at: number;
  completed_at: number | null;
  status: ResponsesStatus;
  error: { code: string; message: string } | null;
  incomplete_details: { reason: string } | null;
  instructions: string | null;
  model: string;
  previous_response_id: string | null;
  output: (ResponsesOutputItem | { type: string; id?: string })[];
  parallel_tool_calls: boolean;
  tools: Record<string, unknown>[];
  tool_choice: string | Record<string, unknown>;
  temperature: number;
  top_p: number;
  top_logprobs: number;
  presence_penalty: number;
  frequency_penalty: number;
  truncation: 'auto' | 'disabled';
  text: { format: Record<string, unknown>; verbosity?: string };
  reasoning: { effort: string | null; summary: string | null };
  max_output_tokens: number | null;
  max_tool_calls: number | null;
  store: boolean;
  background: boolean;
  service_tier: string;
  metadata: Record<string, string>;
  user: string | null;
  safety_identifier: string | null;
  prompt_cache_key: string | null;
  usage: ResponsesUsage | null;
}

/*
 * Responses of `POST /v1/responses` as an upstream may send them: the types of OpenAI's SDK, as far as the
 * gateway reads them.
 */

/** Token counts. Input includes cache reads and writes; output includes reasoning. */
const responsesUpstreamUsage = z.looseObject({
  input_tokens: tokenCount,
  input_tokens_details: z
    .looseObject({ cached_tokens: tokenCount, cache_write_tokens: tokenCount })
    .nullish(),
  output_tokens: tokenCount,
  output_tokens_details: z.looseObject({ reasoning_tokens: tokenCount }).nullish(),
  total_tokens: tokenCount,
});
export type ResponsesUpstreamUsage = z.infer<typeof responsesUpstreamUsage>;

/** A source of a text; other types have other fields. */
export const responsesUpstreamAnnotation = z.looseObject({
  type: optionalText,
  url: optionalText,
  title: optionalText,
  /** Offsets in characters of the part's text. */
  start_index: lenient(z.number()),
  end_index: lenient(z.number()),
});
export type ResponsesUpstreamAnnotation = z.infer<typeof responsesUpstreamAnnotation>;

/** A part of a message or of reasoning; the type decides which fields it has. */
export const responsesUpstreamPart = z.looseObject({
  type: z.string(),
  text: optionalText,
  refusal: optionalText,
  annotations: lenient(z.array(responsesUpstreamAnnotation)),
  logprobs: z.unknown().optional(),
});
export type ResponsesUpstreamPart = z.infer<typeof responsesUpstreamPart>;

/** One output item of any type. */
export const responsesUpstreamItem = z.looseObject({ type: z.string(), id: optionalText });
export type ResponsesUpstreamItem = z.infer<typeof responsesUpstreamItem>;

export const responsesUpstreamMessage = responsesUpstreamItem.extend({
  type: z.literal('message'),
  content: z.array(responsesUpstreamPart).nullish(),
});

export const responsesUpstreamReasoning = responsesUpstreamItem.extend({
  type: z.literal('reasoning'),
  summary: z.array(z.looseObject({ text: optionalText })).nullish(),
  /** Unsummarized reasoning text. */
  content: z.array(z.looseObject({ text: optionalText })).nullish(),
  encrypted_content: optionalText,
});

/** A call of a tool of the client. */
export const responsesUpstreamCall = responsesUpstreamItem.extend({
  type: z.enum(['function_call', 'custom_tool_call']),
  /** Matches a call with its output. */
  call_id: optionalText,
  name: optionalText,
  /** Arguments of a function. */
  arguments: optionalText,
  /** Input of a custom tool. */
  input: optionalText,
});
export type ResponsesUpstreamCall = z.infer<typeof responsesUpstreamCall>;

export const responsesUpstreamImage = responsesUpstreamItem.extend({
  type: z.literal('image_generation_call'),
  /** Base64; absent if the generation failed. */
  result: optionalText,
  /** Such as `png`, the default. */
  output_format: optionalText,
});

/** An error of an upstream that speaks this format. */
const responsesUpstreamError = z.looseObject({
  message: lenient(z.string()),
  type: lenient(z.string()),
  code: lenient(z.union([z.string(), z.number()])),
  param: lenient(z.string()),
});

const responsesStatuses = [
  'queued',
  'in_progress',
  'completed',
  'incomplete',
  'failed',
  'cancelled',
] as const;
type ResponsesStatus = (typeof responsesStatuses)[number];

/** A response, complete or in progress. */
export const responsesUpstreamAnswer = z.looseObject({
  object: z.literal('response'),
  id: optionalText,
  model: optionalText,
  /** One of {@link responsesStatuses}. */
  status: optionalText,
  error: responsesUpstreamError.nullish(),
  incomplete_details: z.looseObject({ reason: optionalText }).nullish(),
  output: z.array(responsesUpstreamItem).nullish(),
  usage: responsesUpstreamUsage.nullish(),
  service_tier: optionalText,
});
export type ResponsesUpstreamAnswer = z.infer<typeof responsesUpstreamAnswer>;

/** The response of `POST /v1/responses/input_tokens`. */
export const responsesTokenCount = z.looseObject({ input_tokens: z.number() });
export type ResponsesTokenCount = z.infer<typeof responsesTokenCount>;
