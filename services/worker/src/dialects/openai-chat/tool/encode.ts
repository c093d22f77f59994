import { GatewayError, type GenerateRequest, type Tool, type ToolChoice } from '@model-gateway/canonical';
import type { ChatTool, ChatToolChoice } from '@model-gateway/wire';
import { toolName } from './name.ts';

/** The fields that speak of tools; none where there are no tools, since the others are then refused. */
export function encodeTools(
  { tools = [], toolChoice, parallelToolCalls }: GenerateRequest,
  original: boolean,
): Record<string, unknown> {
  const searches = tools.some(isWebSearch);
  const offered = original ? tools : onlyChosen(tools, toolChoice);
  const encoded = offered.filter(tool => !isWebSearch(tool)).map(encodeTool);
  return {
    ...(searches && { web_search_options: {} }),
    ...(encoded.length > 0 && {
      tools: encoded,
      tool_choice: toolChoice && encodeChoice(toolChoice, tools, original),
      parallel_tool_calls: parallelToolCalls,
    }),
  };
}

/** The one tool run by vendors that has a twin here. */
function isWebSearch(tool: Tool): boolean {
  if (tool.type !== 'opaque') return false;
  return /^web_search/.test(String(tool.value.type)) || 'googleSearch' in tool.value;
}

function encodeTool(tool: Tool): ChatTool {
  switch (tool.type) {
    case 'function': {
      const { description, parameters, strict } = tool;
      return { type: 'function', function: { name: toolName(tool.name), description, parameters, strict } };
    }
    case 'custom': {
      const { description, format } = tool;
      return { type: 'custom', custom: { name: toolName(tool.name), description, format } };
    }
    case 'opaque': {
      if (tool.format === 'chat') return tool.value as ChatTool;
      const message = `Unsupported value for 'tools': this model's provider does not run the tool '${tool.value.type ?? Object.keys(tool.value)[0]}'.`;
      throw new GatewayError('invalid-request', message, { param: 'tools', code: 'unsupported_value' });
    }
  }
}

/** Where a choice among some cannot be said, only those are offered. */
function onlyChosen(tools: readonly Tool[], choice: ToolChoice | undefined): readonly Tool[] {
  const names = choice && 'names' in choice ? choice.names : undefined;
  return names ? tools.filter(tool => tool.type === 'opaque' || names.includes(tool.name)) : tools;
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[], original: boolean): ChatToolChoice {
  switch (choice.type) {
    case 'none':
      return 'none';
    case 'tool':
      return reference(choice.name, tools);
    case 'auto':
    case 'required': {
      if (!choice.names || !original) return choice.type;
      const chosen = choice.names.map(name => reference(name, tools));
      return { type: 'allowed_tools', allowed_tools: { mode: choice.type, tools: chosen } };
    }
  }
}

function reference(name: string, tools: readonly Tool[]) {
  const custom = tools.some(tool => tool.type === 'custom' && tool.name === name);
  return custom
    ? { type: 'custom' as const, custom: { name: toolName(name) } }
    : { type: 'function' as const, function: { name: toolName(name) } };
}
