import { z } from 'zod';

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

const object = z.looseObject({});
/** Any whole number: a seed may be beyond what a double holds exactly, and goes upstream as it was written. */
const integer = z.number().refine(Number.isInteger, { message: 'an integer' });

/**
 * The body of `POST /v1/chat/completions`. `null` means not set.
 * Defaults, which are never sent on: temperature 1, top_p 1, n 1, stream false, both penalties 0.
 */
export const chatRequest = z.looseObject({
  model: text.min(1).max(256),
  messages: z.array(chatMessage).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z
    .int()
    .refine(n => n >= 1, { params: { code: 'integer_below_min_value', expected: 'at least 1' } })
    .nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  reasoning_effort: z.enum(reasoningEfforts).nullish(),
  max_tokens: integer.nullish(),
  max_completion_tokens: integer.nullish(),
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
