import { z } from 'zod';
import type { ParsedRequest } from '../format.ts';
import { badRequest, missing } from '../openai-error.ts';
import { wantsSearch } from '../responder/answer.ts';
import {
  type Conversation,
  calledAs,
  efforts,
  type Output,
  type Tool,
  type ToolChoice,
  type ToolResult,
  type Tools,
} from '../responder/prompt.ts';

/** Treats a value of another type as unset. The simulator is lenient here, unlike the gateway. */
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

/** The fields of a chat request that the simulator reads. */
const chatRequest = z.object({
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

type ChatRequest = z.infer<typeof chatRequest>;
type ChatMessage = z.infer<typeof message>;

export interface ParsedChat extends ParsedRequest {
  includeUsage: boolean;
  /** Alternatives for each token; null for no logprobs. */
  topLogprobs: number | null;
  serviceTier: string;
  searches: boolean;
}

/** @throws ApiError if the model or the messages are missing */
export function parse(body: unknown): ParsedChat {
  const { data: request } = chatRequest.safeParse(body);
  if (!request) throw badRequest('The request body must be a JSON object.');
  if (!request.model) throw missing('model');
  if (!request.messages?.length) throw missing('messages');
  const conversation = readConversation(request.messages, request.tools);
  return {
    prompt: {
      model: request.model,
      ...conversation,
      ...readTools(request),
      output: readOutput(request),
      maxTokens: limitOf(request.max_completion_tokens ?? request.max_tokens),
      stop: [request.stop ?? []].flat().filter(Boolean),
      choices: request.n ?? 1,
      cachePoints: null,
      effort: efforts.find(effort => effort === request.reasoning_effort) ?? null,
    },
    stream: request.stream ?? false,
    includeUsage: request.stream_options?.include_usage ?? false,
    topLogprobs: request.logprobs ? Math.min(Math.max(request.top_logprobs ?? 0, 0), 20) : null,
    serviceTier: tiers.find(tier => tier === request.service_tier) ?? 'default',
    searches: Boolean(request.web_search_options) && wantsSearch(conversation),
  };
}

const tiers = ['flex', 'scale', 'priority'];

function readOutput({ response_format: format }: ChatRequest): Output {
  if (format?.type === 'json_object') return { kind: 'json' };
  if (format?.type === 'json_schema') return { kind: 'schema', schema: format.json_schema?.schema };
  return { kind: 'text' };
}

/** -1 means no limit, as in many servers that are compatible with OpenAI's. */
function limitOf(tokens: number | null | undefined): number | null {
  return tokens === -1 ? null : (tokens ?? null);
}

function readConversation(messages: ChatMessage[], tools: ChatRequest['tools']): Conversation {
  const instructions = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const question = messages.findLast(({ role }) => role === 'user');
  const lines = messages.map(message => `${message.role ?? 'user'}: ${textOf(message)}${callsOf(message)}`);
  return {
    instructions: instructions.map(textOf).join('\n'),
    question: question ? textOf(question) : '',
    results: readResults(messages),
    context: [...(tools?.length ? [JSON.stringify(tools)] : []), ...lines].join('\n'),
    media: {
      images: countParts(messages, 'image_url'),
      audio: countParts(messages, 'input_audio'),
      files: countParts(messages, 'file'),
    },
  };
}

function textOf({ content }: ChatMessage): string {
  if (!Array.isArray(content)) return content ?? '';
  const texts = content.map(part => part.text ?? part.refusal);
  return texts.filter(Boolean).join('\n');
}

function callsOf({ tool_calls: calls }: ChatMessage): string {
  return calls?.length ? JSON.stringify(calls) : '';
}

/** The tool messages at the end, each with its call. */
function readResults(messages: ChatMessage[]): ToolResult[] {
  const before = messages.findLastIndex(({ role }) => role !== 'tool' && role !== 'function');
  const calls = messages[before]?.tool_calls ?? [];
  return messages.slice(before + 1).map(message => {
    const call = calls.find(({ id }) => id === message.tool_call_id);
    const name = call?.function?.name ?? call?.custom?.name ?? message.name ?? 'the tool';
    const input = call?.function?.arguments ?? call?.custom?.input ?? '';
    return { call: calledAs(name, input), text: textOf(message) };
  });
}

function countParts(messages: ChatMessage[], type: string): number {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return parts.filter(part => part.type === type).length;
}

type Named = { name?: string | null } | null | undefined;

/** Reads the tools and the tool choice. */
function readTools(request: ChatRequest): Tools {
  const { tool_choice: choice } = request;
  const tools = (request.tools ?? []).flatMap(toTool);
  const parallel = request.parallel_tool_calls ?? true;
  if (!choice || typeof choice === 'string') return { tools, toolChoice: mode(choice), parallel };
  if (choice.allowed_tools) {
    const allowed = new Set(choice.allowed_tools.tools?.map(nameOf));
    const kept = tools.filter(tool => allowed.has(tool.name));
    return { tools: kept, toolChoice: mode(choice.allowed_tools.mode), parallel };
  }
  const name = nameOf(choice);
  return { tools, toolChoice: name ? { name } : 'auto', parallel };
}

function toTool({ function: plain, custom }: NonNullable<ChatRequest['tools']>[number]): Tool[] {
  const tool = plain ?? custom;
  if (!tool) return [];
  const { name, description } = tool;
  const kind = plain ? 'function' : 'custom';
  return [{ kind, name, description: description ?? '', parameters: plain?.parameters }];
}

function mode(choice: string | null | undefined): ToolChoice {
  return choice === 'none' || choice === 'required' ? choice : 'auto';
}

function nameOf(choice: { function?: Named; custom?: Named }): string | undefined {
  return choice.function?.name ?? choice.custom?.name ?? undefined;
}
