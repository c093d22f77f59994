import { ApiError } from '../api-error.ts';
import type { ParsedRequest } from '../format.ts';
import { wantsSearch } from '../responder/answer.ts';
import {
  efforts,
  type Output,
  type Prompt,
  type Tool,
  type ToolChoice,
  type ToolResult,
} from '../responder/prompt.ts';
import { type ChatMessage, type ChatRequest, chatRequest } from './request.ts';

export interface ParsedChat extends ParsedRequest {
  model: string;
  includeUsage: boolean;
  /** Alternatives to show for each token; null shows no logprobs. */
  topLogprobs: number | null;
  serviceTier: string;
  searches: boolean;
}

/** Reads a chat request. @throws ApiError where the model or the messages are missing */
export function parse(body: unknown): ParsedChat {
  const { data: request } = chatRequest.safeParse(body);
  if (!request) throw new ApiError(400, 'The request body must be a JSON object.');
  if (!request.model) throw missing('model');
  if (!request.messages?.length) throw missing('messages');
  const { model } = request;
  const conversation = readConversation(request.messages, request.tools);
  return {
    prompt: {
      model,
      ...conversation,
      ...readTools(request),
      output: readOutput(request),
      maxTokens: limitOf(request.max_completion_tokens ?? request.max_tokens),
      stop: [request.stop ?? []].flat().filter(Boolean),
      choices: request.n ?? 1,
      cachePoints: null,
      effort: efforts.find(effort => effort === request.reasoning_effort) ?? null,
    },
    model,
    stream: request.stream ?? false,
    includeUsage: request.stream_options?.include_usage ?? false,
    topLogprobs: request.logprobs ? Math.min(Math.max(request.top_logprobs ?? 0, 0), 20) : null,
    serviceTier: shownTiers.get(request.service_tier ?? '') ?? 'default',
    searches: Boolean(request.web_search_options) && wantsSearch(conversation),
  };
}

const shownTiers = new Map([
  ['flex', 'flex'],
  ['scale', 'scale'],
  ['priority', 'priority'],
  ['fast', 'priority'],
]);

function readOutput({ response_format: format }: ChatRequest): Output {
  if (format?.type === 'json_object') return { kind: 'json' };
  if (format?.type === 'json_schema') return { kind: 'schema', schema: format.json_schema?.schema };
  return { kind: 'text' };
}

function missing(param: string): ApiError {
  return new ApiError(400, `Missing required parameter: '${param}'.`, 'missing_required_parameter', param);
}

/** The simulator takes -1 for no limit, like many servers that are compatible with the vendor's. */
function limitOf(tokens: number | null | undefined): number | null {
  return tokens === undefined || tokens === -1 ? null : tokens;
}

type Conversation = Pick<Prompt, 'instructions' | 'question' | 'results' | 'context' | 'media'>;

function readConversation(messages: ChatMessage[], tools: ChatRequest['tools']): Conversation {
  const instructions = messages.filter(({ role }) => role === 'system' || role === 'developer').map(textOf);
  const question = messages.findLast(({ role }) => role === 'user');
  const lines = messages.map(message => `${message.role ?? 'user'}: ${textOf(message)}${callsOf(message)}`);
  return {
    instructions: instructions.join('\n'),
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
  return content
    .map(part => part.text ?? part.refusal)
    .filter(Boolean)
    .join('\n');
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
    return { call: input ? `${name}(${input.slice(0, 200)})` : name, text: textOf(message) };
  });
}

function countParts(messages: ChatMessage[], type: string): number {
  let count = 0;
  for (const { content } of messages)
    if (Array.isArray(content)) for (const part of content) if (part.type === type) count++;
  return count;
}

type Named = { name?: string | null } | null | undefined;

/** Reads the tools and the tool choice. */
function readTools(request: ChatRequest): Pick<Prompt, 'tools' | 'toolChoice' | 'parallel'> {
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
  return [
    {
      kind: plain ? 'function' : 'custom',
      name,
      description: description ?? '',
      parameters: plain?.parameters,
    },
  ];
}

function mode(choice: string | null | undefined): ToolChoice {
  return choice === 'none' || choice === 'required' ? choice : 'auto';
}

function nameOf(choice: { function?: Named; custom?: Named }): string | undefined {
  return choice.function?.name ?? choice.custom?.name ?? undefined;
}
