import type { IncomingHttpHeaders } from 'node:http';
import {
  extrasOf,
  type GenerateRequest,
  type HostedTool,
  type Output,
  type RequestExtras,
  type Tool,
  type ToolChoice,
  webSearchTool,
} from '@model-gateway/canonical';
import {
  type Edit,
  exactMembers,
  isJsonObject,
  omitNullish,
  parseExact,
  spliceTopLevel,
} from '@model-gateway/json';
import { clientTools, searchLocation } from '../client/client-tools.ts';
import { translatedFields } from '../client/endpoint.ts';
import { checked, invalidRequest } from '../client/invalid.ts';
import { constraintsOf, mostTokens, type ParsedGenerate, readPlain } from '../client/parsed-request.ts';
import { messagesChoices } from '../messages/fields.ts';
import { readValue } from '../values/value-table.ts';
import { chatFields } from './fields.ts';
import { parseCache, parseMessages } from './parse-messages.ts';
import { thinkingWish } from './reasoning.ts';
import type { ChatAnswerOptions } from './render-whole.ts';
import {
  type ChatRequest,
  type ChatResponseFormat,
  type ChatTool,
  type ChatToolChoice,
  type ChatTranslatable,
  type ChatWebSearchOptions,
  chatNoLimit,
  chatRequest,
  chatTranslatable,
} from './request.ts';
import { isForeignHistory } from './sanitize-history.ts';

/** Members whose numbers keep the client's spelling and precision. */
const exact = ['tools', 'functions', 'response_format'];

/** Parses a request. `text` is the JSON text of `body`. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): ParsedGenerate<ChatAnswerOptions> {
  const data = checked(chatRequest, body);
  const unlimited = noLimit(data);
  const keys = text ? exact.filter(key => body[key]) : [];
  return {
    type: 'generate',
    model: data.model,
    stream: data.stream === true,
    foreign: isForeignHistory(data),
    ...(unlimited && { unlimited }),
    exact: keys,
    cacheKey: cacheKeyOf(data),
    // Both are sent, and some servers know only one.
    maxTokens: mostTokens([data.max_completion_tokens, data.max_tokens], data.n),
    choices: data.n ?? undefined,
    ...parseExtras(data),
    firstTurn: () => data.messages.find(({ role }) => role === 'user')?.content,
    canonical(members = exactly(keys, text)) {
      const read = chatTranslatable.safeParse({ ...body, ...members });
      if (!read.success) throw invalidRequest(read.error, body);
      return parseGenerate(read.data);
    },
    rendering: {
      model: data.model,
      usage: data.stream_options?.include_usage === true,
      legacy: Array.isArray(body.functions),
    },
  };
}

/** Returns the field by which the client requests no token limit. */
function noLimit(body: ChatRequest): string | undefined {
  return (['max_tokens', 'max_completion_tokens'] as const).find(field => body[field] === chatNoLimit);
}

/** Parses the members `keys` of a body with exact numbers. Most requests have none of them. */
function exactly(keys: readonly string[], text: Buffer | undefined): Record<string, unknown> {
  return text && keys.length > 0 ? exactMembers(text.toString(), keys) : {};
}

/** Fields that the canonical request covers, or that the gateway handles itself. */
const translated = translatedFields(
  chatFields,
  ...['model', 'stream', 'stream_options', 'functions', 'function_call', 'web_search_options'],
);

/**
 * Parses the canonical request.
 * @throws GatewayError of kind `invalid-request` for an inconsistent history
 */
export function parseGenerate(body: ChatTranslatable): GenerateRequest {
  const { stop, functions } = body;
  const wish = thinkingWish(body);
  return omitNullish({
    messages: parseMessages(body.messages),
    tools: parseTools(body),
    toolChoice: parseToolChoice(body),
    // A response in the legacy form has room for one call.
    parallelToolCalls: body.parallel_tool_calls ?? (functions ? false : undefined),
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
    ...readPlain(chatFields, body),
    topK: body.top_k,
    stop: typeof stop === 'string' ? [stop] : stop,
    reasoning: wish && (wish.effort === 'none' ? wish : { ...wish, show: true }),
    output: body.response_format && parseOutput(body.response_format),
    logprobs: body.logprobs ? omitNullish({ top: body.top_logprobs }) : undefined,
    verbosity: body.verbosity,
    serviceTier: body.service_tier,
    user: body.safety_identifier ?? body.user,
    metadata: body.metadata,
    cacheKey: cacheKeyOf(body),
    extensions: extensions(body),
    vendorFields: constraintsOf('chat', body),
  });
}

function cacheKeyOf({ prompt_cache_key: key }: Record<string, unknown>): string | undefined {
  return typeof key === 'string' ? key : undefined;
}

function parseOutput(format: ChatResponseFormat): Output {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return format.schema ? { type: 'schema', schema: format.schema } : { type: 'json' };
    case 'json_schema': {
      const { name, schema, strict } = format.json_schema;
      return { type: 'schema', schema: schema ?? {}, name, ...omitNullish({ strict }) };
    }
  }
}

/** Returns the fields that only this format has. */
function extensions(body: ChatTranslatable): GenerateRequest['extensions'] {
  // Any upstream of the format gets the client's cache key.
  const isOwn = (key: string) => !translated.has(key) || key === 'prompt_cache_key';
  const rest = Object.entries(body).filter(([key, value]) => isOwn(key) && value != null);
  return rest.length > 0 ? { chat: Object.fromEntries(rest) } : undefined;
}

/** Tools that the client runs. */
const clientToolTypes: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** Returns the tools that the upstream runs, and the service tier. Servers of this format have tools of their own beside OpenAI's search. */
export function parseExtras(body: ChatRequest): { extras?: RequestExtras } {
  const {
    tools,
    web_search_options: search,
    search_parameters: parameters,
    plugins,
    service_tier: tier,
  } = body;
  const hosted: HostedTool[] = [];
  if (search) hosted.push({ name: webSearchTool, field: 'web_search_options' });
  // xAI's live search.
  if (isJsonObject(parameters) && parameters.mode !== 'off')
    hosted.push({ name: webSearchTool, field: 'search_parameters', own: true });
  // OpenRouter's plugins.
  for (const plugin of Array.isArray(plugins) ? plugins : [])
    if (isJsonObject(plugin)) hosted.push({ name: pluginName(plugin.id), field: 'plugins', own: true });
  for (const { type } of tools ?? [])
    if (typeof type === 'string' && !clientToolTypes.has(type))
      hosted.push({ name: type.startsWith(webSearchTool) ? webSearchTool : type, field: 'tools', own: true });
  return extrasOf('chat', hosted, tier);
}

function pluginName(id: unknown): string {
  return id === 'web' ? webSearchTool : String(id);
}

type Tools = Pick<ChatTranslatable, 'tools' | 'functions' | 'web_search_options'>;
type Choice = Pick<ChatTranslatable, 'tool_choice' | 'function_call'>;

/** Parses tools, legacy functions and the web search, which is a separate field in this format. */
export function parseTools({ tools, functions, web_search_options: search }: Tools): Tool[] | undefined {
  if (!tools && !functions && !search) return undefined;
  const legacy = (functions ?? []).map(fn => parseTool({ type: 'function', function: fn }));
  return clientTools([
    ...(tools ?? []).map(parseTool),
    ...legacy,
    ...(search ? [parseWebSearch(search)] : []),
  ]);
}

function parseTool(tool: ChatTool): Tool {
  if (tool.type === 'custom') {
    const { name, description, format } = tool.custom;
    return { type: 'custom', name, ...omitNullish({ description, format }) };
  }
  const { name, description, parameters, strict, cache_control } = tool.function;
  const cache = parseCache(tool) ?? parseCache({ cache_control });
  return { type: 'function', name, ...omitNullish({ description, parameters, strict, cache }) };
}

export function parseToolChoice({ tool_choice, function_call }: Choice): ToolChoice | undefined {
  if (tool_choice) return parseChoice(tool_choice);
  if (!function_call) return undefined;
  return typeof function_call === 'string'
    ? { type: function_call }
    : { type: 'tool', name: function_call.name };
}

function parseChoice(choice: ChatToolChoice): ToolChoice {
  if (typeof choice === 'string') return { type: choice };
  switch (choice.type) {
    case 'function':
      return { type: 'tool', name: choice.function.name };
    case 'custom':
      return { type: 'tool', name: choice.custom.name };
    case 'allowed_tools': {
      const { mode, tools } = choice.allowed_tools;
      const names = tools.flatMap(tool => tool.function?.name ?? tool.custom?.name ?? []);
      return { type: mode, names };
    }
  }
}

type WebSearch = Extract<Tool, { type: 'web-search' }>;

function parseWebSearch(value: ChatWebSearchOptions): WebSearch {
  const location = searchLocation(value.user_location?.approximate ?? {});
  return {
    type: 'web-search',
    ...(location && { location }),
    ...omitNullish({ contextSize: value.search_context_size }),
    own: { format: 'chat', value },
  };
}

type Fields = Record<string, unknown>;

/**
 * Nests the tools and the choice of clients that send them as in the responses or the messages format, as Cursor does: upstreams of
 * the chat format refuse them. Changes `body`, and returns its JSON text.
 */
export function nestTools(body: Fields, text: Buffer): Buffer {
  const { tools, tool_choice: choice } = body;
  const edits = new Map<string, Edit>();
  if (Array.isArray(tools) && tools.some(isFlat)) edits.set('tools', current => nested(current, nestAll));
  if (isFlatChoice(choice)) edits.set('tool_choice', current => nested(current, nestChoice));
  if (edits.size === 0) return text;
  if (edits.has('tools')) body.tools = nestAll(tools);
  if (edits.has('tool_choice')) body.tool_choice = nestChoice(choice);
  return spliceTopLevel(text, edits);
}

function nested(current: string | undefined, nest: (value: unknown) => unknown): string | null {
  return current === undefined ? null : JSON.stringify(nest(parseExact(current)));
}

function nestAll(tools: unknown): unknown {
  return (tools as unknown[]).map(tool => (isFlat(tool) ? nestTool(tool) : tool));
}

/** True for a tool that the client runs, whose name is a member of its own. */
function isFlat(tool: unknown): tool is Fields {
  if (!isJsonObject(tool) || typeof tool.name !== 'string' || tool.function || tool.custom) return false;
  const { type } = tool;
  return type === undefined || type === null || type === 'function' || type === 'custom';
}

function nestTool({ type, name, description, ...tool }: Fields): Fields {
  if (type === 'custom' && !tool.input_schema) {
    const { format, ...rest } = tool;
    return { ...rest, type, custom: omitNullish({ name, description, format: nestFormat(format) }) };
  }
  const { parameters, input_schema: schema, strict, ...rest } = tool;
  const fn = omitNullish({ name, description, parameters: parameters ?? schema, strict });
  return { ...rest, type: 'function', function: fn };
}

/** Nests the grammar of a custom tool. */
function nestFormat(format: unknown): unknown {
  if (!isJsonObject(format) || format.type !== 'grammar' || format.grammar) return format;
  const { syntax, definition } = format;
  return { type: 'grammar', grammar: { syntax, definition } };
}

/** Returns a choice of the messages format that names no tool, as it is in this one. */
function plainChoice(type: unknown): string | undefined {
  return type === messagesChoices.tool ? undefined : readValue(messagesChoices, type);
}

function isFlatChoice(choice: unknown): boolean {
  if (!isJsonObject(choice)) return false;
  const { type, name } = choice;
  if (plainChoice(type)) return true;
  const isNamed = type === 'tool' || type === 'function' || type === 'custom';
  return isNamed && typeof name === 'string' && !choice[type];
}

function nestChoice(choice: unknown): unknown {
  const { type, name } = choice as Fields;
  const kind = type === 'custom' ? 'custom' : 'function';
  return plainChoice(type) ?? { type: kind, [kind]: { name } };
}
