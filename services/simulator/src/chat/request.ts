import { z } from 'zod';

/** Reads a field where it has the right type, and takes any other value for unset: a lenient server, unlike the gateway. */
function lenient<T extends z.ZodType>(schema: T) {
  return schema.nullish().catch(null);
}

const part = z.object({ type: lenient(z.string()), text: lenient(z.string()), refusal: lenient(z.string()) });

const content = lenient(z.union([z.string(), z.array(part)]));

const named = lenient(z.object({ name: lenient(z.string()) }));

const toolCall = z.object({
  id: lenient(z.string()),
  function: lenient(z.object({ name: lenient(z.string()), arguments: lenient(z.string()) })),
  custom: lenient(z.object({ name: lenient(z.string()), input: lenient(z.string()) })),
});

const message = z.object({
  role: lenient(z.string()),
  content,
  tool_calls: lenient(z.array(toolCall)),
  tool_call_id: lenient(z.string()),
  name: lenient(z.string()),
});

const tool = z.object({
  function: lenient(
    z.object({ name: z.string(), description: lenient(z.string()), parameters: z.unknown().optional() }),
  ),
  custom: lenient(z.object({ name: z.string(), description: lenient(z.string()) })),
});

const toolChoice = z.object({
  function: named,
  custom: named,
  allowed_tools: lenient(
    z.object({
      mode: lenient(z.string()),
      tools: lenient(z.array(z.object({ function: named, custom: named }))),
    }),
  ),
});

/** The fields of a chat request that the simulator looks at. */
export const chatRequest = z.object({
  model: lenient(z.string()),
  messages: lenient(z.array(message)),
  stream: lenient(z.boolean()),
  stream_options: lenient(z.object({ include_usage: lenient(z.boolean()) })),
  n: lenient(z.int()),
  max_tokens: lenient(z.int()),
  max_completion_tokens: lenient(z.int()),
  stop: lenient(z.union([z.string(), z.array(z.string())])),
  tools: lenient(z.array(tool)),
  tool_choice: lenient(z.union([z.string(), toolChoice])),
  parallel_tool_calls: lenient(z.boolean()),
  response_format: lenient(
    z.object({
      type: lenient(z.string()),
      json_schema: lenient(z.object({ schema: z.unknown().optional() })),
    }),
  ),
  reasoning_effort: lenient(z.string()),
  service_tier: lenient(z.string()),
  logprobs: lenient(z.boolean()),
  top_logprobs: lenient(z.int()),
  web_search_options: lenient(z.looseObject({})),
});

export type ChatRequest = z.infer<typeof chatRequest>;
export type ChatMessage = z.infer<typeof message>;
