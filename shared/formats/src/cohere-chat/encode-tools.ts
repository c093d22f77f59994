import type { GenerateRequest, Tool } from '@model-gateway/canonical';
import { chosenNames, toolName } from '../upstream/tool-names.ts';
import { unsupported } from '../upstream/unsupported.ts';
import type { CohereChatParams, CohereToolParam } from './types.ts';

/** Encodes the tools. A choice of some of them offers only these; a choice of one requires it. */
export function encodeTools({
  tools = [],
  toolChoice,
}: GenerateRequest): Pick<CohereChatParams, 'tools' | 'tool_choice'> {
  const chosen = toolChoice?.type === 'tool' ? new Set([toolChoice.name]) : chosenNames(toolChoice);
  const offered = chosen ? tools.filter(tool => 'name' in tool && chosen.has(tool.name)) : tools;
  if (offered.length === 0) return {};
  return { tools: offered.map(encodeTool), tool_choice: toolChoice && choices[toolChoice.type] };
}

/** The format has no value for the model's own decision. */
const choices = { auto: undefined, none: 'NONE', required: 'REQUIRED', tool: 'REQUIRED' } as const;

function encodeTool(tool: Tool): CohereToolParam {
  if (tool.type === 'custom')
    throw unsupported('tools', "this model's provider has no tools that take free text");
  if (tool.type !== 'function')
    throw unsupported('tools', "this model's provider does not run tools of other vendors");
  const { name, description, parameters = { type: 'object', properties: {} } } = tool;
  return { type: 'function', function: { name: toolName(name), description, parameters } };
}
