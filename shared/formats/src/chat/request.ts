import { z } from 'zod';
import {
  type Closed,
  isJsonObject,
  jsonText,
  modelName,
  jsonObject as object,
  objectOrEmptyList,
  wholeNumber,
} from '../values/schemas.ts';
import { type ChatReasoningDetail, knownEfforts } from './reasoning.ts';

/*
 * Chat completions as in OpenAI's published API description (CreateChatCompletionRequest and what it refers
 * to). Only what every upstream agrees on is checked: unknown fields pass, since clients gain fields weekly.
 */

const text = z.string();

/** A cache breakpoint, as clients of LiteLLM and OpenRouter send it. */
export const cacheControl = z.looseObject({ ttl: z.enum(['5m', '1h']).nullish().catch(null) });
const cacheBreakpoints = {
  cache_control: cacheControl.nullish(),
  prompt_cache_breakpoint: z.looseObject({}).nullish(),
};

const textPart = z.looseObject({ type: z.literal('text'), text, ...cacheBreakpoints });
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: text });
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  /** Some clients write the URL alone. */
  image_url: z.preprocess(
    value => (typeof value === 'string' ? { url: value } : value),
    z.looseObject({ url: text }),
  ),
  ...cacheBreakpoints,
});
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: text, format: text }),
  ...cacheBreakpoints,
});
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({ file_data: text.nullish(), file_id: text.nullish(), filename: text.nullish() }),
  ...cacheBreakpoints,
});

const userPart = z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart]);
const assistantPart = z.discriminatedUnion('type', [textPart, refusalPart]);
export type ChatUserPart = z.infer<typeof userPart>;
export type ChatTextPart = z.infer<typeof textPart>;
export type CacheBreakpoints = Pick<ChatTextPart, keyof typeof cacheBreakpoints>;

/** Parses a text as a list of one text part. */
function partsOf<T extends z.ZodType>(schema: T) {
  const asParts = (value: unknown) => (typeof value === 'string' ? [{ type: 'text', text: value }] : value);
  return z.preprocess(asParts, z.array(schema));
}

const functionCall = z.looseObject({ name: text, arguments: jsonText.nullish() });

/** A tool call of the history; clients keep a vendor's signature in the extra fields. */
const chatToolCall = z.discriminatedUnion('type', [
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

/** Reasoning with its signature, under LiteLLM's name. */
const chatThinkingBlock = z.discriminatedUnion('type', [
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
  reasoning_details: z.array(z.unknown()).nullish().catch(null),
  thinking_blocks: z.array(chatThinkingBlock).nullish(),
  ...cacheBreakpoints,
});

/** The roles of instructions in OpenAI's formats. */
export const instructionRole = z.enum(['developer', 'system']);

/** One message, validated as far as a translator reads it; its content is always a list of parts. */
const chatTurn = z.discriminatedUnion('role', [
  z.looseObject({ role: instructionRole, content: partsOf(textPart), ...cacheBreakpoints }),
  z.looseObject({ role: z.literal('user'), content: partsOf(userPart), ...cacheBreakpoints }),
  assistantTurn,
  z.looseObject({
    role: z.literal('tool'),
    content: partsOf(userPart).nullish(),
    tool_call_id: text,
    ...cacheBreakpoints,
  }),
  z.looseObject({ role: z.literal('function'), content: text.nullish(), name: text }),
]);
export type ChatTurn = z.infer<typeof chatTurn>;
export type ChatAssistantTurn = z.infer<typeof assistantTurn>;

export type ChatTextParam = Closed<ChatTextPart>;
export type ChatPartParam = Closed<ChatUserPart>;
export type ChatToolCallParam = Closed<ChatToolCall>;
/** Google's signature of a tool call. */
export type ChatSignatureParam = Pick<Extract<ChatToolCallParam, { function: object }>, 'extra_content'>;

/**
 * One message as the gateway writes it (`ChatCompletionMessageParam` in OpenAI's SDK). Only compatible upstreams know
 * `reasoning_content`.
 */
export type ChatMessageParam =
  | { role: 'system'; content: string | ChatTextParam[] }
  | { role: 'user'; content: string | ChatPartParam[] }
  | { role: 'tool'; tool_call_id: string; content: string | ChatTextParam[] }
  | {
      role: 'assistant';
      content: string | null;
      refusal?: string;
      reasoning_content?: string;
      reasoning_details?: ChatReasoningDetail[];
      thinking_blocks?: ChatThinkingBlock[];
      tool_calls?: (ChatToolCallParam & ChatSignatureParam)[];
    };

export const functionTool = z.looseObject({
  name: text,
  description: text.nullish(),
  parameters: objectOrEmptyList(object).nullish(),
  strict: z.boolean().nullish(),
  cache_control: cacheControl.nullish(),
});

const chatTool = z.preprocess(
  withType,
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('function'), function: functionTool, ...cacheBreakpoints }),
    z.looseObject({
      type: z.literal('custom'),
      custom: z.looseObject({ name: text, description: text.nullish(), format: object.nullish() }),
    }),
  ]),
);
export type ChatTool = z.infer<typeof chatTool>;
export type ChatToolParam = Closed<ChatTool>;

/** Adds the type of a tool by what it has: Mistral's SDK sends functions without one. */
function withType(tool: unknown): unknown {
  if (!isJsonObject(tool)) return tool;
  const { type, function: fn, custom } = tool as Record<string, unknown>;
  if (type !== undefined && type !== null) return tool;
  if (fn) return { ...(tool as object), type: 'function' };
  return custom ? { ...(tool as object), type: 'custom' } : tool;
}

export const named = z.looseObject({ name: text });

/** The tool choices of OpenAI's formats that name no tool, and those of them that may be among some tools only. */
export const plainToolChoice = z.enum(['none', 'auto', 'required']);
export const limitedToolChoice = plainToolChoice.exclude(['none']);

const chatToolChoice = z.union(
  [
    plainToolChoice,
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('function'), function: named }),
      z.looseObject({ type: z.literal('custom'), custom: named }),
      z.looseObject({
        type: z.literal('allowed_tools'),
        allowed_tools: z.looseObject({
          mode: limitedToolChoice,
          tools: z.array(z.looseObject({ function: named.nullish(), custom: named.nullish() })),
        }),
      }),
    ]),
  ],
  { error: "'none', 'auto', 'required' or an object that names tools" },
);
export type ChatToolChoice = z.infer<typeof chatToolChoice>;
export type ChatToolChoiceParam = Closed<ChatToolChoice>;

const place = text.min(1).optional().catch(undefined);

/** Settings of web search, which is not a tool in this format. Malformed members count as not set. */
const chatWebSearchOptions = z.looseObject({
  user_location: z
    .looseObject({
      approximate: z.looseObject({ city: place, country: place, region: place, timezone: place }),
    })
    .optional()
    .catch(undefined),
});
export type ChatWebSearchOptions = z.infer<typeof chatWebSearchOptions>;

type Location = NonNullable<Closed<ChatWebSearchOptions>['user_location']>;
/** The options as the gateway writes them (`WebSearchOptions` in OpenAI's SDK). */
export interface ChatWebSearchParam {
  user_location?: Location & { type: 'approximate' };
}

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

const chatResponseFormat = z.discriminatedUnion('type', [
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
