import { z } from 'zod';
import type { ParsedRequest } from '../format.ts';
import { calledAs, functionTool, type Prompt, type ToolResult } from '../responder/prompt.ts';
import { invalid, validated } from '../vectors/small-vendors.ts';

const text = z.strictObject({ type: z.literal('text'), text: z.string() });
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
});
const thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string() });
const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.union([z.string(), z.array(text)]) }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.union([text, image]))]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.union([text, thinking]))]).optional(),
    tool_plan: z.string().optional(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    tool_call_id: z.string().min(1),
    content: z.union([z.string(), z.array(text)]),
  }),
]);
type Message = z.infer<typeof message>;

/** The request of Cohere's chat API, version 2, with the bounds of its SDK's types. Unknown fields are refused. */
const chatRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().default(false),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string().regex(/^[a-zA-Z0-9_-]+$/),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z.enum(['REQUIRED', 'NONE']).optional(),
  response_format: z
    .strictObject({
      type: z.enum(['text', 'json_object']),
      json_schema: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  thinking: z
    .strictObject({ type: z.enum(['enabled', 'disabled']), token_budget: z.int().min(1).optional() })
    .optional(),
  max_tokens: z.int().min(1).optional(),
  stop_sequences: z.array(z.string().min(1)).max(5).optional(),
  temperature: z.number().min(0).max(2).optional(),
  p: z.number().min(0.01).max(0.99).optional(),
  k: z.int().min(0).max(500).optional(),
  seed: z.int().optional(),
  frequency_penalty: z.number().min(0).max(1).optional(),
  presence_penalty: z.number().min(0).max(1).optional(),
});
type ChatRequest = z.infer<typeof chatRequest>;

export type ParsedCohereChat = ParsedRequest;

/** @throws ApiError in Cohere's words */
export function parse(body: unknown): ParsedCohereChat {
  const request = validated(chatRequest, body);
  if (request.tool_choice && !request.tools) throw invalid('tool_choice may only be set with tools');
  checkResults(request.messages);
  return { prompt: promptOf(request), stream: request.stream };
}

/** @throws ApiError unless each result belongs to a call before it, and each call has one */
function checkResults(messages: readonly Message[]): void {
  const open = new Set<string>();
  for (const each of messages) {
    if (each.role === 'tool' && !open.delete(each.tool_call_id))
      throw invalid(`tool_call_id '${each.tool_call_id}' does not match a tool call`);
    if (each.role !== 'tool' && open.size > 0) throw invalid('tool calls must be followed by their results');
    if (each.role === 'assistant') for (const { id } of each.tool_calls ?? []) open.add(id);
  }
}

function promptOf(request: ChatRequest): Prompt {
  const { model, messages, tools = [], response_format: format, thinking: thought } = request;
  const texts = (role: Message['role']) => messages.filter(each => each.role === role).map(textOf);
  const images = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(({ type }) => type === 'image_url') : [],
  );
  return {
    model,
    instructions: texts('system').join('\n'),
    question: texts('user').at(-1) ?? '',
    results: resultsOf(messages),
    tools: tools.map(({ function: { name, description, parameters } }) =>
      functionTool(name, description, parameters),
    ),
    toolChoice: request.tool_choice === 'REQUIRED' ? 'required' : request.tool_choice ? 'none' : 'auto',
    parallel: true,
    output:
      format?.type !== 'json_object'
        ? { kind: 'text' }
        : format.json_schema
          ? { kind: 'schema', schema: format.json_schema }
          : { kind: 'json' },
    maxTokens: request.max_tokens ?? null,
    stop: request.stop_sequences ?? [],
    choices: 1,
    effort: thought?.type === 'enabled' ? 'medium' : null,
    context: messages.map(textOf).join('\n') + JSON.stringify(tools),
    media: { images: images.length, audio: 0, files: 0 },
    cachePoints: null,
  };
}

function textOf({ content = '' }: Message): string {
  if (typeof content === 'string') return content;
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The results at the end of the conversation. */
function resultsOf(messages: readonly Message[]): ToolResult[] {
  const calls = messages.flatMap(each => (each.role === 'assistant' ? (each.tool_calls ?? []) : []));
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(last + 1).flatMap(each => {
    if (each.role !== 'tool') return [];
    const called = calls.find(({ id }) => id === each.tool_call_id)?.function;
    return [{ call: calledAs(called?.name, called?.arguments), text: textOf(each) }];
  });
}
