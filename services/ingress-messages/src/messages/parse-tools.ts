import type { GenerateRequest, SearchLocation, Tool } from '@model-gateway/canonical';
import {
  type MessagesCountRequest,
  messagesCustomTool,
  messagesToolChoice,
  messagesWebSearchTool,
} from '@model-gateway/wire';
import { check, type Path } from './invalid.ts';
import { cacheOf } from './parse-content.ts';

type ToolSettings = Pick<GenerateRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

/** Parses the tools and how the model may call them. */
export function toolSettings({ tools, tool_choice }: MessagesCountRequest): ToolSettings {
  return {
    ...(tools && { tools: tools.map((value, i) => tool(value, ['tools', i])) }),
    ...(tool_choice && choice(tool_choice)),
  };
}

function tool(value: Record<string, unknown>, path: Path): Tool {
  const { type } = value;
  if (typeof type === 'string' && type.startsWith('web_search')) return webSearch(value);
  if (type !== undefined && type !== null && type !== 'custom')
    return { type: 'opaque', format: 'messages', value };
  const { name, description, input_schema, strict, cache_control } = check(messagesCustomTool, value, path);
  return {
    type: 'function',
    name,
    ...(description && { description }),
    parameters: input_schema,
    ...(typeof strict === 'boolean' && { strict }),
    ...cacheOf(cache_control),
  };
}

function choice(value: Record<string, unknown>): ToolSettings {
  const parsed = check(messagesToolChoice, value, ['tool_choice']);
  if (parsed.type === 'none') return { toolChoice: { type: 'none' } };
  const serial = parsed.disable_parallel_tool_use ? { parallelToolCalls: false } : {};
  switch (parsed.type) {
    case 'auto':
      return { toolChoice: { type: 'auto' }, ...serial };
    case 'any':
      return { toolChoice: { type: 'required' }, ...serial };
    case 'tool':
      return { toolChoice: { type: 'tool', name: parsed.name }, ...serial };
  }
}

type WebSearch = Extract<Tool, { type: 'web-search' }>;

/** Parses the vendor's web search of any version. Its limits exist only in this format. */
export function webSearch(value: Record<string, unknown>): WebSearch {
  const tool = messagesWebSearchTool.parse(value);
  const location = locationOf(tool.user_location ?? {});
  const { name, allowed_domains: allowedDomains, blocked_domains: blockedDomains } = tool;
  return {
    type: 'web-search',
    ...(location && { location }),
    ...(allowedDomains?.length && { allowedDomains }),
    ...(blockedDomains?.length && { blockedDomains }),
    ...(typeof name === 'string' && name !== 'web_search' && { choiceName: name }),
    own: { format: 'messages', value },
  };
}

const locationKeys = ['city', 'country', 'region', 'timezone'] as const satisfies (keyof SearchLocation)[];

function locationOf(place: SearchLocation): SearchLocation | undefined {
  const entries = locationKeys.flatMap(key => (place[key] ? [[key, place[key]] as const] : []));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
