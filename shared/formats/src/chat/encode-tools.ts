import type { GenerateRequest, Tool, ToolChoice } from '@model-gateway/canonical';
import { forwarded } from '../upstream/request-body.ts';
import { onlyChosen, toolName, withPlainSchema } from '../upstream/tools.ts';
import { forcesVendorTool, unsupported } from '../upstream/unsupported.ts';
import type { ChatRequestParams } from './request.ts';
import type { ChatToolChoiceParam, ChatToolParam, ChatWebSearchParam } from './tools.ts';

/** Encodes the tool fields. Without tools it returns none, because upstreams refuse the other fields then. */
export function encodeTools(
  { tools = [], toolChoice, parallelToolCalls }: GenerateRequest,
  original: boolean,
): ToolFields {
  const search = tools.find(tool => tool.type === 'web-search');
  const offered = original ? tools : onlyChosen(tools, toolChoice);
  // The search is an option here, not a tool.
  if (search && forcesVendorTool(toolChoice, tools))
    throw unsupported('toolChoice', "this model's provider decides by itself whether to search the web");
  const encoded = offered.filter(tool => tool.type !== 'web-search').map(tool => encodeTool(tool, original));
  const options: ToolFields = search ? { web_search_options: encodeSearch(search) } : {};
  if (encoded.length === 0) return options;
  return {
    ...options,
    tools: encoded,
    tool_choice: toolChoice && encodeChoice(toolChoice, tools, original),
    parallel_tool_calls: parallelToolCalls,
  };
}

type ToolFields = Pick<
  ChatRequestParams,
  'web_search_options' | 'tools' | 'tool_choice' | 'parallel_tool_calls'
>;

type WebSearch = Extract<Tool, { type: 'web-search' }>;

/**
 * Encodes a web search as this format's option.
 * @throws GatewayError for allowed or blocked domains, which the option lacks
 */
function encodeSearch(search: WebSearch): ChatWebSearchParam {
  const { location, own } = search;
  if (own?.format === 'chat') return forwarded(own.value);
  refuseDomains(search);
  return location ? { user_location: { type: 'approximate', approximate: { ...location } } } : {};
}

function refuseDomains({ allowedDomains, blockedDomains }: WebSearch): void {
  const bound = allowedDomains ? 'allowed_domains' : blockedDomains ? 'blocked_domains' : undefined;
  if (!bound) return;
  throw unsupported('tools', `this model's provider cannot restrict a web search by '${bound}'`);
}

function encodeTool(tool: Exclude<Tool, WebSearch>, original: boolean): ChatToolParam {
  switch (tool.type) {
    case 'function': {
      const { description } = tool;
      const { parameters, strict } = original ? withPlainSchema(tool) : tool;
      return { type: 'function', function: { name: toolName(tool.name), description, parameters, strict } };
    }
    case 'custom': {
      const { description, format } = tool;
      return { type: 'custom', custom: { name: toolName(tool.name), description, format } };
    }
    case 'opaque': {
      if (tool.format === 'chat') return forwarded(tool.value);
      const name = tool.value.type ?? Object.keys(tool.value)[0];
      throw unsupported('tools', `this model's provider does not run the tool '${name}'`);
    }
  }
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[], original: boolean): ChatToolChoiceParam {
  if (choice.type === 'tool') return reference(choice.name, customNames(tools));
  if (choice.type === 'none' || !choice.names || !original) return choice.type;
  const custom = customNames(tools);
  const chosen = choice.names.map(name => reference(name, custom));
  return { type: 'allowed_tools', allowed_tools: { mode: choice.type, tools: chosen } };
}

type Reference = Extract<ChatToolChoiceParam, { type: 'function' | 'custom' }>;

function customNames(tools: readonly Tool[]): ReadonlySet<string> {
  return new Set(tools.flatMap(tool => (tool.type === 'custom' ? tool.name : [])));
}

function reference(name: string, custom: ReadonlySet<string>): Reference {
  return custom.has(name)
    ? { type: 'custom', custom: { name: toolName(name) } }
    : { type: 'function', function: { name: toolName(name) } };
}
