import { z } from 'zod';
import type { ChatFinishReason } from './finish.ts';
import type { ChatThinkingBlock, ChatToolCall } from './request.ts';

const text = z.string();

/** A tool call in one chunk of a stream; upstreams differ in what each field holds. */
export interface ChatToolCallDelta {
  index?: number | null;
  id?: string | null;
  type?: string | null;
  function?: { name?: string | null; arguments?: unknown } | null;
  custom?: { name?: string | null; input?: string | null } | null;
  /** The call's signature in Google's variant of this format. */
  extra_content?: { google?: { thought_signature?: string | null } | null } | null;
}

/** A piece of content where it is a list, as in Mistral's API; pieces of other types hold no text. */
export interface ChatContentPiece {
  type: string;
  text?: string;
  thinking?: string | ChatContentPiece[];
}

/** A source of a range of the message's content; offsets are in characters. */
export const chatAnnotation = z.looseObject({
  type: z.literal('url_citation'),
  url_citation: z.looseObject({
    url: text,
    title: text.nullish(),
    start_index: z.int().nonnegative().optional().catch(undefined),
    end_index: z.int().nonnegative().optional().catch(undefined),
  }),
});
export type ChatAnnotation = z.infer<typeof chatAnnotation>;

/** The content that one chunk of a stream adds to a choice. */
export interface ChatDelta {
  content?: string | ChatContentPiece[] | null;
  refusal?: string | null;
  /** Reasoning text: upstreams use one of these two names. */
  reasoning_content?: string | null;
  reasoning?: string | null;
  /** The reasoning in a form that is sent back, beside its text or in its place. */
  reasoning_details?: unknown;
  tool_calls?: ChatToolCallDelta[] | null;
  function_call?: { name?: string | null; arguments?: unknown } | null;
  /** Images that the model generated, as several gateways send them. */
  images?: { image_url?: { url?: string } }[] | null;
  /** Entries are {@link ChatAnnotation}s or sources of other kinds. */
  annotations?: unknown;
}

export interface ChatChunkChoice {
  index?: number | null;
  delta?: ChatDelta | null;
  /** The content in place of `delta`, in a whole response and in chunks of some servers. */
  message?: ChatDelta | null;
  /** The text in place of `delta`, in text completions and in chunks of some servers. */
  text?: string | null;
  finish_reason?: string | null;
  /** The stop string that the model reached, if the upstream reports it. */
  stop_reason?: unknown;
  /** The error of the choice, where its `finish_reason` is `error`. */
  error?: unknown;
}

/** A chunk of a stream or a whole response, as far as the gateway reads it. */
export interface ChatChunk {
  id?: string | null;
  model?: string | null;
  choices?: ChatChunkChoice[] | null;
  usage?: ChatUsage | null;
  /** The service tier that it was served in. */
  service_tier?: unknown;
  error?: unknown;
  /** `error` if the whole object is an error in an older form. */
  object?: unknown;
}

/** A whole response. */
export interface ChatCompletion {
  id: string;
  object: 'chat.completion';
  /** Seconds since 1970. */
  created: number;
  model: string;
  service_tier: string | null;
  system_fingerprint: string;
  choices: {
    index: number;
    message: ChatAnswerMessage;
    logprobs: null;
    finish_reason: ChatFinishReason;
  }[];
  usage?: ChatUsage;
}

export interface ChatAnswerMessage {
  role: 'assistant';
  content: string | null;
  refusal: string | null;
  annotations: ChatAnnotation[];
  reasoning_content?: string;
  thinking_blocks?: ChatThinkingBlock[];
  tool_calls?: ChatToolCall[];
  function_call?: { name: string; arguments: string };
  images?: { type: 'image_url'; image_url: { url: string } }[];
}

type TokenCount = number | null | undefined;

/** Token counts. `prompt_tokens` includes cached ones, `completion_tokens` includes reasoning. */
export interface ChatUsage extends Record<string, unknown> {
  prompt_tokens?: TokenCount;
  completion_tokens?: TokenCount;
  total_tokens?: TokenCount;
  /** Cached tokens where there are no details, in Moonshot's API and in DeepSeek's. */
  cached_tokens?: TokenCount;
  prompt_cache_hit_tokens?: TokenCount;
  prompt_tokens_details?: {
    cached_tokens?: TokenCount;
    cache_write_tokens?: TokenCount;
    audio_tokens?: TokenCount;
    image_tokens?: TokenCount;
  } | null;
  completion_tokens_details?: {
    reasoning_tokens?: TokenCount;
    audio_tokens?: TokenCount;
    accepted_prediction_tokens?: TokenCount;
    rejected_prediction_tokens?: TokenCount;
  } | null;
}

/** The data that ends a stream. */
export const chatDone = '[DONE]';
