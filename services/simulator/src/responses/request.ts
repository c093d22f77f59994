import { reasoningEfforts, responsesIncludes } from '@model-gateway/formats';
import { z } from 'zod';
import { item, tool, toolChoice } from './item.ts';

const text = z.string();
const object = z.record(text, z.unknown());
const summary = z.enum(['auto', 'concise', 'detailed']).nullish();

const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: text.regex(/^[a-zA-Z0-9_-]+$/).max(64),
    schema: object,
    strict: z.boolean().nullish(),
    description: text.nullish(),
  }),
]);

/** The fields that a request to count tokens has, too. */
const read = {
  model: text.min(1),
  input: z.union([text, z.array(item)]).nullish(),
  instructions: text.nullish(),
  previous_response_id: text.nullish(),
  // Not supported: only null is accepted.
  conversation: z.null().optional(),
  prompt: z.null().optional(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z
    .strictObject({
      effort: z.enum(reasoningEfforts).nullish(),
      summary,
      generate_summary: summary,
      context: z.enum(['auto', 'current_turn', 'all_turns']).nullish(),
      mode: z.enum(['standard', 'pro']).nullish(),
    })
    .nullish(),
  text: z
    .strictObject({ format: format.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
};

/** Unknown fields are rejected, as the vendor rejects them. */
export const responsesRequest = z.strictObject({
  ...read,
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  include: z.array(z.enum(responsesIncludes)).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  metadata: z
    .record(text.max(64), text.max(512))
    .refine(map => Object.keys(map).length <= 16, { message: 'too many properties. Expected at most 16.' })
    .nullish(),
  prompt_cache_key: text.max(64).nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  prompt_cache_options: object.nullish(),
  safety_identifier: text.max(128).nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast']).nullish(),
  user: text.nullish(),
  context_management: z.array(z.looseObject({ type: text })).nullish(),
  moderation: object.nullish(),
  image: object.nullish(),
  access_programs: object.nullish(),
  client_metadata: z.record(text, text).nullish(),
});

/** A request to count tokens. */
export const countRequest = z.strictObject({ ...read, personality: text.nullish() });
export type CountRequest = z.infer<typeof countRequest>;
