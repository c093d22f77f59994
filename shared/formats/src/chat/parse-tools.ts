import type { Tool, ToolChoice } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { clientTools } from '../client/client-tools.ts';
import { parseCache } from './parse-content.ts';
import type { ChatTranslatable } from './request.ts';
import type { ChatTool, ChatToolChoice, ChatWebSearchOptions } from './tools.ts';

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
  const { city, country, region, timezone } = value.user_location?.approximate ?? {};
  const location = omitNullish({ city, country, region, timezone });
  const known = Object.keys(location).length > 0;
  return {
    type: 'web-search',
    ...(known && { location }),
    ...omitNullish({ contextSize: value.search_context_size }),
    own: { format: 'chat', value },
  };
}
