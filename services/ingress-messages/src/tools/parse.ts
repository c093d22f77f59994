import type { GenerateRequest, Tool } from '@model-gateway/canonical';
import { type MessagesCountRequest, messagesCustomTool, messagesToolChoice } from '@model-gateway/wire';
import { cacheOf } from '../content/parse.ts';
import { check, type Path } from '../invalid.ts';
import { webSearch } from '../web-search/parse.ts';

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
