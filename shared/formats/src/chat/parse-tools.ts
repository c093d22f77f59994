import type { Tool, ToolChoice } from '@model-gateway/canonical';
import { type Edit, isJsonObject, omitNullish, parseExact, spliceTopLevel } from '@model-gateway/json';
import { clientTools, searchLocation } from '../client/client-tools.ts';
import { messagesChoices } from '../messages/fields.ts';
import { readValue } from '../values/value-table.ts';
import { parseCache } from './parse-messages.ts';
import type { ChatTool, ChatToolChoice, ChatTranslatable, ChatWebSearchOptions } from './request.ts';

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
