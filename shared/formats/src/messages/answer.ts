import { z } from 'zod';
import { lenient, optionalText, optionalNumber as tokenCount } from '../values/schemas.ts';
import type { MessagesStop } from './finish.ts';
import type { MessagesAnyBlock } from './request.ts';

/** Token counts. The three input counters are disjoint: the total input is their sum. */
export interface MessagesUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  /** Includes reasoning. */
  output_tokens: number;
  output_tokens_details: { thinking_tokens: number };
  server_tool_use: null;
  service_tier: null;
  inference_geo: null;
  speed: null;
}

/** The response of `POST /v1/messages`; when streamed, it begins without content and stop reason. */
export interface MessagesAnswer extends MessagesStop {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: MessagesAnyBlock[];
  container: null;
  diagnostics: null;
  usage: MessagesUsage;
}

/*
 * Responses of `POST /v1/messages`, whole and streamed, as an upstream may send them: the types of
 * Anthropic's SDK, as far as the gateway reads them. Other fields pass, since responses gain fields too.
 */

/** Token counts. The three input counts are disjoint, to be added. `output_tokens` includes reasoning. */
const messagesUpstreamUsage = z.looseObject({
  input_tokens: tokenCount,
  cache_creation_input_tokens: tokenCount,
  cache_read_input_tokens: tokenCount,
  cache_creation: z
    .looseObject({ ephemeral_5m_input_tokens: tokenCount, ephemeral_1h_input_tokens: tokenCount })
    .nullish(),
  output_tokens: tokenCount,
  output_tokens_details: z.looseObject({ thinking_tokens: tokenCount }).nullish(),
  server_tool_use: lenient(z.looseObject({ web_search_requests: tokenCount })),
  service_tier: lenient(z.string()),
});
export type MessagesUpstreamUsage = z.infer<typeof messagesUpstreamUsage>;

/** The reason why a response ended. */
const messagesUpstreamStop = z.looseObject({
  stop_reason: optionalText,
  stop_sequence: optionalText,
  /** Details of a refusal. */
  stop_details: z.looseObject({ explanation: optionalText }).nullish(),
});
export type MessagesUpstreamStop = z.infer<typeof messagesUpstreamStop>;

/** A content block of a response; the type decides which fields it has. */
const messagesUpstreamBlock = z.looseObject({
  type: z.string(),
  text: optionalText,
  thinking: optionalText,
  signature: optionalText,
  /** Set for `redacted_thinking`. */
  data: optionalText,
  id: optionalText,
  name: optionalText,
  /** A tool call's arguments; a placeholder in the first event of a streamed block. */
  input: z.unknown().optional(),
});
export type MessagesUpstreamBlock = z.infer<typeof messagesUpstreamBlock>;

/** A piece of a block; the type decides which fields it has. */
const messagesUpstreamDelta = z.looseObject({
  type: z.string(),
  text: optionalText,
  thinking: optionalText,
  signature: optionalText,
  partial_json: optionalText,
});
export type MessagesUpstreamDelta = z.infer<typeof messagesUpstreamDelta>;

/** A whole response. */
export const messagesUpstreamAnswer = messagesUpstreamStop.extend({
  type: z.literal('message'),
  id: optionalText,
  model: optionalText,
  content: z.array(messagesUpstreamBlock).nullable(),
  usage: messagesUpstreamUsage.nullish(),
});

export type MessagesUpstreamAnswer = z.infer<typeof messagesUpstreamAnswer>;

/** An error of an upstream that speaks this format. */
export const messagesUpstreamError = z.looseObject({
  type: optionalText,
  message: optionalText,
  details: z.looseObject({ error_code: optionalText }).nullish(),
});

/** Null if it is missing or no index: the position then tells the block. */
const index = lenient(z.int().nonnegative());

/** One event of a stream. Blocks follow one another, numbered from 0. */
export const messagesStreamEvent = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message_start'),
    message: z.looseObject({ id: optionalText, model: optionalText, usage: messagesUpstreamUsage.nullish() }),
  }),
  z.looseObject({ type: z.literal('content_block_start'), index, content_block: messagesUpstreamBlock }),
  z.looseObject({ type: z.literal('content_block_delta'), index, delta: messagesUpstreamDelta }),
  z.looseObject({ type: z.literal('content_block_stop'), index }),
  /** The usage is the sum so far: the last event counts. */
  z.looseObject({
    type: z.literal('message_delta'),
    delta: messagesUpstreamStop,
    usage: messagesUpstreamUsage.nullish(),
  }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('ping') }),
  z.looseObject({ type: z.literal('error'), error: messagesUpstreamError }),
]);
export type MessagesStreamEvent = z.infer<typeof messagesStreamEvent>;

/** The response of `POST /v1/messages/count_tokens`. */
export const messagesTokenCount = z.looseObject({ input_tokens: z.number() });
export type MessagesTokenCount = z.infer<typeof messagesTokenCount>;
