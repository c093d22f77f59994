import { chatCompletions } from '@model-gateway/formats/chat';
import { z } from 'zod';
import type { ParsedRequest } from '../common/format.ts';
import { readPrompt } from '../responder/read-prompt.ts';
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

/** @throws ApiError in Cohere's words */
export function parse(body: unknown): ParsedRequest {
  const request = validated(chatRequest, body);
  if (request.tool_choice && !request.tools) throw invalid('tool_choice may only be set with tools');
  checkResults(request.messages);
  return { prompt: readPrompt(chatCompletions, asChat(request)).prompt, stream: request.stream };
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

/** Returns the request in the words of chat, from which it differs by names. */
function asChat(request: ChatRequest) {
  const { model, messages, tools, max_tokens, stop_sequences: stop, response_format: format } = request;
  return {
    ...{ model, tools, max_tokens, stop },
    messages: messages.map(each => (each.role === 'assistant' ? assistant(each) : each)),
    tool_choice: request.tool_choice?.toLowerCase(),
    response_format: format?.json_schema
      ? { type: 'json_schema', json_schema: { name: 'answer', schema: format.json_schema } }
      : format,
    ...(request.thinking?.type === 'enabled' && { reasoning_effort: 'medium' }),
  };
}

/** Thinking and plans are not read. */
function assistant({ role, content = '', tool_calls }: Extract<Message, { role: 'assistant' }>) {
  const parts = typeof content === 'string' ? content : content.filter(({ type }) => type === 'text');
  return { role, content: parts, ...(tool_calls && { tool_calls }) };
}
