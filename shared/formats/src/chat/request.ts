import { z } from 'zod';
import { type Closed, modelName, jsonObject as object, wholeNumber } from '../values/schemas.ts';
import { knownEfforts } from './thinking.ts';
import {
  type ChatWebSearchParam,
  chatTool,
  chatToolChoice,
  chatWebSearchOptions,
  functionTool,
  named,
  plainToolChoice,
} from './tools.ts';
import { type ChatMessageParam, chatTurn, instructionRole } from './turns.ts';

/*
 * Chat completions as in OpenAI's published API description (CreateChatCompletionRequest and what it refers
 * to). Only what every upstream agrees on is checked: unknown fields pass, since clients gain fields weekly.
 */

const text = z.string();
const part = z.looseObject({ type: z.string() });
const content = z.union([text, z.array(part)], { error: 'string or an array of content parts' });
const present = (value: unknown) => value !== undefined && value !== null;

/** Fields without which an assistant's message needs content. */
const contentFields = [
  ...['tool_calls', 'function_call', 'refusal', 'audio', 'reasoning_content', 'reasoning'],
  ...['reasoning_details', 'thinking_blocks'],
];

const assistantMessage = z
  .looseObject({ role: z.literal('assistant'), content: content.nullish() })
  .superRefine((message, context) => {
    // Upstreams answer with null where they write nothing, and clients send that back.
    if (message.content !== undefined) return;
    if (contentFields.some(field => present(message[field]))) return;
    context.addIssue({
      code: 'custom',
      path: ['content'],
      message: 'required unless the message has tool_calls',
      params: { missing: true },
    });
  });

/** One message of a conversation; the role decides its other fields. */
export const chatMessage = z.discriminatedUnion('role', [
  z.looseObject({ role: instructionRole, content }),
  z.looseObject({ role: z.literal('user'), content }),
  assistantMessage,
  z.looseObject({ role: z.literal('tool'), content: content.nullish(), tool_call_id: text }),
  z.looseObject({ role: z.literal('function'), content: text.nullish(), name: text }),
]);

/** Any integer. A seed may exceed what a double holds exactly, and is forwarded as written. */
const integer = z.number().refine(Number.isInteger, { message: 'an integer' }).meta({ type: 'integer' });

/** Means "no token limit". OpenAI's API rejects it; many compatible servers accept it. */
export const chatNoLimit = -1;
const tokenLimit = z
  .int()
  .refine(value => value >= 1 || value === chatNoLimit, {
    params: { code: 'integer_below_min_value', expected: 'at least 1' },
  })
  .meta({ minimum: chatNoLimit });

/**
 * The body of `POST /v1/chat/completions`. `null` means not set. Defaults, which are never forwarded:
 * temperature 1, top_p 1, n 1, stream false, both penalties 0.
 */
export const chatRequest = z.looseObject({
  model: modelName,
  messages: z.array(chatMessage).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  /** OpenAI's API refuses more than 2; llama.cpp and vLLM take any, and use it with `min_p`. */
  temperature: z.number().min(0).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: wholeNumber({ min: 1, max: 128 }).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  /** Servers have values of their own, such as Groq's `default`. */
  reasoning_effort: text.nullish(),
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

export const chatResponseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  /** llama.cpp, Together and others take a schema with it. */
  z.looseObject({ type: z.literal('json_object'), schema: object.nullish() }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ name: text, schema: object.nullish(), strict: z.boolean().nullish() }),
  }),
]);
export type ChatResponseFormat = z.infer<typeof chatResponseFormat>;
export type ChatFormatParam = Closed<ChatResponseFormat>;

/** A {@link chatRequest}, validated as far as a translator reads it. */
export const chatTranslatable = chatRequest.extend({
  messages: z.array(chatTurn),
  tools: z.array(chatTool).nullish(),
  functions: z.array(functionTool).nullish(),
  tool_choice: chatToolChoice.nullish(),
  reasoning_effort: z.enum(knownEfforts).nullish(),
  function_call: z
    .union([plainToolChoice.exclude(['required']), named], {
      error: "'none', 'auto' or an object that names a function",
    })
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

/** A request as the gateway writes it (`ChatCompletionCreateParams` in OpenAI's SDK). */
export type ChatRequestParams = Omit<Closed<ChatTranslatable>, 'messages' | 'web_search_options'> & {
  messages: ChatMessageParam[];
  web_search_options?: ChatWebSearchParam;
};
