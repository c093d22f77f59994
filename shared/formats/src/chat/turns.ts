import { z } from 'zod';
import { type Closed, jsonText, jsonObject as object } from '../values/schemas.ts';
import type { ChatReasoningDetail } from './reasoning.ts';

/** A cache breakpoint, as clients of LiteLLM and OpenRouter send it. */
export const cacheControl = z.looseObject({ ttl: z.enum(['5m', '1h']).nullish().catch(null) });
export const cacheBreakpoints = {
  cache_control: cacheControl.nullish(),
  prompt_cache_breakpoint: z.looseObject({}).nullish(),
};

const text = z.string();

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

/** Reasoning with its signature, under LiteLLM's name. */
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
  reasoning_details: z.array(z.unknown()).nullish().catch(null),
  thinking_blocks: z.array(chatThinkingBlock).nullish(),
  ...cacheBreakpoints,
});

/** The roles of instructions in OpenAI's formats. */
export const instructionRole = z.enum(['developer', 'system']);

/** One message, validated as far as a translator reads it; its content is always a list of parts. */
export const chatTurn = z.discriminatedUnion('role', [
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
