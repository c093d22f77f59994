import { z } from 'zod';
import { modelName } from './model-name.ts';
import { wholeNumber } from './whole-number.ts';

/*
 * Chat completions as OpenAI's published API description has it (CreateChatCompletionRequest and what it refers to).
 * Only what every upstream agrees on is checked: fields that are not known pass, since clients gain fields weekly.
 */

const text = z.string();
const part = z.looseObject({ type: z.string() });
const content = z.union([text, z.array(part)], { error: 'string or an array of content parts' });
const present = (value: unknown) => value !== undefined && value !== null;

const assistantMessage = z
  .looseObject({ role: z.literal('assistant'), content: content.nullish() })
  .superRefine((message, context) => {
    if (present(message.content)) return;
    const { tool_calls: toolCalls, function_call: functionCall, refusal, audio } = message;
    if ([toolCalls, functionCall, refusal, audio].some(present)) return;
    context.addIssue({
      code: 'custom',
      path: ['content'],
      message: 'required unless the message has tool_calls',
      params: { missing: true },
    });
  });

/** One message of a conversation; the role says what else it must hold. */
export const chatMessage = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('developer'), content }),
  z.looseObject({ role: z.literal('system'), content }),
  z.looseObject({ role: z.literal('user'), content }),
  assistantMessage,
  z.looseObject({ role: z.literal('tool'), content, tool_call_id: text }),
  z.looseObject({ role: z.literal('function'), content: text.nullable(), name: text }),
]);

/** Values of `reasoning_effort` in use; a model accepts some of them. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Kept as it is: a copy would lose a key such as `__proto__`. */
const object = z.custom<Record<string, unknown>>(
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'an object' },
);
/** Any whole number: a seed may be beyond what a double holds exactly, and goes upstream as it was written. */
const integer = z.number().refine(Number.isInteger, { message: 'an integer' });

/** Stands for no limit of tokens. OpenAI's own API refuses it; many servers that are compatible with it take it. */
export const chatNoLimit = -1;
const tokenLimit = z.int().refine(value => value >= 1 || value === chatNoLimit, {
  params: { code: 'integer_below_min_value', expected: 'at least 1' },
});

/**
 * The body of `POST /v1/chat/completions`. `null` means not set.
 * Defaults, which are never sent on: temperature 1, top_p 1, n 1, stream false, both penalties 0.
 */
export const chatRequest = z.looseObject({
  model: modelName,
  messages: z.array(chatMessage).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: wholeNumber({ min: 1, max: 128 }).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  reasoning_effort: z.enum(reasoningEfforts).nullish(),
  max_tokens: tokenLimit.nullish(),
  max_completion_tokens: tokenLimit.nullish(),
  top_logprobs: wholeNumber({ min: 0, max: 20 }).nullish(),
  seed: integer.nullish(),
  user: text.nullish(),
  stop: z.union([text, z.array(text)], { error: 'string or an array of strings' }).nullish(),
  modalities: z.array(text).nullish(),
  tools: z.array(object).nullish(),
  tool_choice: z.union([text, object], { error: 'string or an object' }).nullish(),
  logit_bias: object.nullish(),
  response_format: object.nullish(),
  audio: object.nullish(),
});
export type ChatRequest = z.infer<typeof chatRequest>;

/** Asks for a cached prefix that ends here, as LiteLLM's and OpenRouter's clients do. */
const cacheControl = z.looseObject({ ttl: z.enum(['5m', '1h']).nullish().catch(null) });
const cacheMarks = {
  cache_control: cacheControl.nullish(),
  prompt_cache_breakpoint: z.looseObject({}).nullish(),
};

const textPart = z.looseObject({ type: z.literal('text'), text, ...cacheMarks });
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: text });
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: text }),
  ...cacheMarks,
});
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: text, format: text }),
  ...cacheMarks,
});
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({ file_data: text.nullish(), file_id: text.nullish(), filename: text.nullish() }),
  ...cacheMarks,
});

const userPart = z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart]);
const assistantPart = z.discriminatedUnion('type', [textPart, refusalPart]);
export type ChatUserPart = z.infer<typeof userPart>;
export type ChatTextPart = z.infer<typeof textPart>;
export type CacheMarks = Pick<ChatTextPart, keyof typeof cacheMarks>;

/** Reads a text as the one text part that it stands for. */
function partsOf<T extends z.ZodType>(schema: T) {
  const asParts = (value: unknown) => (typeof value === 'string' ? [{ type: 'text', text: value }] : value);
  return z.preprocess(asParts, z.array(schema));
}

const functionCall = z.looseObject({ name: text, arguments: text.nullish() });

/** A call in a conversation's history; the extra fields are where clients keep a vendor's signature. */
export const chatToolCall = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('function').nullish(),
    id: text,
    function: functionCall,
    extra_content: z
      .looseObject({ google: z.looseObject({ thought_signature: text.nullish() }).nullish() })
      .nullish(),
    provider_specific_fields: z.looseObject({ thought_signature: text.nullish() }).nullish(),
  }),
  z.looseObject({
    type: z.literal('custom'),
    id: text,
    custom: z.looseObject({ name: text, input: text.nullish() }),
  }),
]);
export type ChatToolCall = z.infer<typeof chatToolCall>;

/** Reasoning with its proof, under LiteLLM's name for it. */
export const chatThinkingBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('thinking'), thinking: text.nullish(), signature: text.nullish() }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: text }),
]);
export type ChatThinkingBlock = z.infer<typeof chatThinkingBlock>;

const assistantTurn = z.looseObject({
  role: z.literal('assistant'),
  content: partsOf(assistantPart).nullish(),
  refusal: text.nullish(),
  tool_calls: z.array(chatToolCall).nullish(),
  function_call: functionCall.nullish(),
  audio: object.nullish(),
  reasoning_content: text.nullish(),
  reasoning: text.nullish().catch(null),
  thinking_blocks: z.array(chatThinkingBlock).nullish(),
  ...cacheMarks,
});

/** One message, checked as far as a translator reads it; its content is always parts. */
export const chatTurn = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['developer', 'system']), content: partsOf(textPart), ...cacheMarks }),
  z.looseObject({ role: z.literal('user'), content: partsOf(userPart), ...cacheMarks }),
  assistantTurn,
  z.looseObject({
    role: z.literal('tool'),
    content: partsOf(userPart),
    tool_call_id: text,
    ...cacheMarks,
  }),
  z.looseObject({ role: z.literal('function'), content: text.nullable(), name: text }),
]);
export type ChatTurn = z.infer<typeof chatTurn>;
export type ChatAssistantTurn = z.infer<typeof assistantTurn>;

const functionTool = z.looseObject({
  name: text,
  description: text.nullish(),
  parameters: object.nullish(),
  strict: z.boolean().nullish(),
  cache_control: cacheControl.nullish(),
});

export const chatTool = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('function'), function: functionTool, ...cacheMarks }),
  z.looseObject({
    type: z.literal('custom'),
    custom: z.looseObject({ name: text, description: text.nullish(), format: object.nullish() }),
  }),
]);
export type ChatTool = z.infer<typeof chatTool>;

const named = z.looseObject({ name: text });

export const chatToolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('function'), function: named }),
      z.looseObject({ type: z.literal('custom'), custom: named }),
      z.looseObject({
        type: z.literal('allowed_tools'),
        allowed_tools: z.looseObject({
          mode: z.enum(['auto', 'required']),
          tools: z.array(z.looseObject({ function: named.nullish(), custom: named.nullish() })),
        }),
      }),
    ]),
  ],
  { error: "'none', 'auto', 'required' or an object that names tools" },
);
export type ChatToolChoice = z.infer<typeof chatToolChoice>;

const place = text.min(1).optional().catch(undefined);

/** Asks for a search of the web, which is no tool here; what of it is malformed was not set. */
export const chatWebSearchOptions = z.looseObject({
  user_location: z
    .looseObject({
      approximate: z.looseObject({ city: place, country: place, region: place, timezone: place }),
    })
    .optional()
    .catch(undefined),
});
export type ChatWebSearchOptions = z.infer<typeof chatWebSearchOptions>;

export const chatResponseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ name: text, schema: object.nullish(), strict: z.boolean().nullish() }),
  }),
]);
export type ChatResponseFormat = z.infer<typeof chatResponseFormat>;

/** A {@link chatRequest} checked as far as a translator reads it. */
export const chatTranslatable = chatRequest.extend({
  messages: z.array(chatTurn),
  tools: z.array(chatTool).nullish(),
  functions: z.array(functionTool).nullish(),
  tool_choice: chatToolChoice.nullish(),
  function_call: z
    .union([z.enum(['none', 'auto']), named], { error: "'none', 'auto' or an object that names a function" })
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  web_search_options: chatWebSearchOptions.nullish().catch({}),
  response_format: chatResponseFormat.nullish(),
  logprobs: z.boolean().nullish(),
  logit_bias: z.record(text, z.number()).nullish(),
  top_k: z.int().nullish(),
  metadata: z.record(text, text).nullish(),
  verbosity: text.nullish(),
  service_tier: text.nullish(),
  safety_identifier: text.nullish(),
});
export type ChatTranslatable = z.infer<typeof chatTranslatable>;

/** How much of a call one chunk of a stream carries; what each field holds differs from upstream to upstream. */
export interface ChatToolCallDelta {
  index?: number | null;
  id?: string | null;
  type?: string | null;
  function?: { name?: string | null; arguments?: unknown } | null;
  custom?: { name?: string | null; input?: string | null } | null;
  /** Where Google's own surface of this format puts a call's signature. */
  extra_content?: { google?: { thought_signature?: string | null } | null } | null;
}

/** A piece of content where it is a list, as Mistral's is; pieces of other types hold no text. */
export interface ChatContentPiece {
  type: string;
  text?: string;
  thinking?: string | ChatContentPiece[];
}

/** A source of a part of the message's content, by its place there in characters. */
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

/** What one chunk of a stream adds to a choice. */
export interface ChatDelta {
  content?: string | ChatContentPiece[] | null;
  refusal?: string | null;
  /** Reasoning text, under one name or the other. */
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: ChatToolCallDelta[] | null;
  function_call?: { name?: string | null; arguments?: unknown } | null;
  /** Pictures that the model made, as several gateways send them. */
  images?: { image_url?: { url?: string } }[] | null;
  /** Each a {@link ChatAnnotation}, or a source of another kind. */
  annotations?: unknown;
}

export interface ChatChunkChoice {
  index?: number | null;
  delta?: ChatDelta | null;
  finish_reason?: string | null;
  /** The stop string that was met, where an upstream says. */
  stop_reason?: unknown;
  /** Why the choice failed, where its `finish_reason` is `error`. */
  error?: unknown;
}

/** A chunk of a stream, or a whole answer, as far as the gateway reads it. */
export interface ChatChunk {
  id?: string | null;
  model?: string | null;
  choices?: ChatChunkChoice[] | null;
  usage?: ChatUsage | null;
  error?: unknown;
  /** `error` where all of it is one, in an older form. */
  object?: unknown;
}

/** A whole answer. */
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

export type ChatFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

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

const tokenCount = z.number().nullish();

/** Token counts. `prompt_tokens` includes cached ones, `completion_tokens` includes reasoning. */
export const chatUsage = z.looseObject({
  prompt_tokens: tokenCount,
  completion_tokens: tokenCount,
  total_tokens: tokenCount,
  prompt_tokens_details: z
    .looseObject({
      cached_tokens: tokenCount,
      cache_write_tokens: tokenCount,
      audio_tokens: tokenCount,
      image_tokens: tokenCount,
    })
    .nullish(),
  completion_tokens_details: z
    .looseObject({ reasoning_tokens: tokenCount, audio_tokens: tokenCount })
    .nullish(),
});
export type ChatUsage = z.infer<typeof chatUsage>;

/** The body of every error, all four keys always present. */
export interface ChatErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

/** What an upstream that speaks this format may put into an error. */
export const chatUpstreamError = z.looseObject({
  message: z.string().nullish(),
  type: z.string().nullish(),
  param: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});

/** The data that ends a stream. */
export const chatDone = '[DONE]';
