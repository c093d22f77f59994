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

/** The tools, and how they may be called. */
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

function choice(given: Record<string, unknown>): ToolSettings {
  const asked = check(messagesToolChoice, given, ['tool_choice']);
  if (asked.type === 'none') return { toolChoice: { type: 'none' } };
  const serial = asked.disable_parallel_tool_use ? { parallelToolCalls: false } : {};
  switch (asked.type) {
    case 'auto':
      return { toolChoice: { type: 'auto' }, ...serial };
    case 'any':
      return { toolChoice: { type: 'required' }, ...serial };
    case 'tool':
      return { toolChoice: { type: 'tool', name: asked.name }, ...serial };
  }
}

type WebSearch = Extract<Tool, { type: 'web-search' }>;

/** The vendor's search, of whatever version; its bounds are of this format alone. */
export function webSearch(value: Record<string, unknown>): WebSearch {
  const location = locationOf(messagesWebSearchTool.parse(value).user_location ?? {});
  return { type: 'web-search', ...(location && { location }), own: { format: 'messages', value } };
}

const places = ['city', 'country', 'region', 'timezone'] as const satisfies (keyof SearchLocation)[];

function locationOf(given: SearchLocation): SearchLocation | undefined {
  const said = places.flatMap(place => (given[place] ? [[place, given[place]] as const] : []));
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}
