import { z } from 'zod';
import { type Closed, modelName, jsonObject as object, wholeNumber } from '../values/schemas.ts';
import {
  type ResponsesFormat,
  type ResponsesItemParam,
  type ResponsesToolChoiceParam,
  type ResponsesToolParam,
  responsesInputItem,
  responsesReasoning,
  responsesText,
  responsesTool,
  responsesToolChoice,
} from './input.ts';

/*
 * Responses as in the types of OpenAI's SDK (ResponseCreateParams and what it refers to). Unknown fields
 * pass, and `null` means not set: agents send more than any description lists.
 */

const text = z.string();
const integer = z.number().refine(Number.isInteger, { message: 'an integer' }).meta({ type: 'integer' });
const positive = integer
  .refine(value => value >= 1, {
    params: { code: 'integer_below_min_value', expected: 'at least 1' },
  })
  .meta({ minimum: 1 });
/** Metadata that a client attaches to a response or a conversation: at most 16 pairs. */
export const responsesMetadata = z
  .record(text.max(64), text.max(512))
  .refine(pairs => Object.keys(pairs).length <= 16, {
    params: { code: 'object_above_max_properties', expected: 'at most 16 pairs' },
  })
  .meta({ maxProperties: 16 });
const penalty = z.number().min(-2).max(2).nullish();

/** Optional contents of a response. */
export const responsesIncludes = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
] as const;

const fields = {
  model: modelName.describe('Optional only if a stored `prompt` names the model.'),
  input: z.union([text, z.array(object)], { error: 'string or an array of items' }).nullish(),
  instructions: text.nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
  previous_response_id: text.nullish(),
  conversation: z.union([text, z.looseObject({ id: text })], { error: 'string or an object' }).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  tools: z.array(z.looseObject({ type: text })).nullish(),
  tool_choice: z.union([text, object], { error: 'string or an object' }).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: positive.nullish(),
  max_output_tokens: positive.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: wholeNumber({ min: 0, max: 20 }).nullish(),
  presence_penalty: penalty.describe("Not in OpenAI's API, but in Open Responses."),
  frequency_penalty: penalty,
  reasoning: object.nullish(),
  text: object.nullish(),
  include: z.array(text).nullish(),
  metadata: responsesMetadata.nullish(),
  prompt: object.nullish(),
  prompt_cache_key: text.nullish(),
  safety_identifier: text.nullish(),
  user: text.nullish(),
  service_tier: text.nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  context_management: z.array(object).nullish(),
};

/** The body of `POST /v1/responses`. Defaults: store true, parallel_tool_calls true, truncation disabled. */
export const responsesRequest = z.looseObject(fields);
export type ResponsesRequest = z.infer<typeof responsesRequest>;

/**
 * A {@link responsesRequest}, validated as far as a translator reads it; its input is always a list of items.
 */
export const responsesTranslatable = z.looseObject({
  ...fields,
  input: z.preprocess(asItems, z.array(responsesInputItem)).nullish(),
  tools: z.array(responsesTool).nullish(),
  tool_choice: responsesToolChoice.nullish(),
  reasoning: responsesReasoning.nullish(),
  text: responsesText.nullish(),
});
export type ResponsesTranslatable = z.infer<typeof responsesTranslatable>;

/** A request as the gateway writes it (`ResponseCreateParams` in OpenAI's SDK). */
export type ResponsesRequestParams = Omit<
  Closed<ResponsesTranslatable>,
  'input' | 'tools' | 'tool_choice' | 'text'
> & {
  input: ResponsesItemParam[];
  tools?: ResponsesToolParam[];
  tool_choice?: ResponsesToolChoiceParam;
  /** The upstream checks the verbosity, which each model limits. */
  text?: { format?: Closed<ResponsesFormat>; verbosity?: string };
};

/** Converts a text to a list of one user message. */
function asItems(input: unknown): unknown {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
}
