import type { GenerateRequest, Tool, ToolChoice } from '@model-gateway/canonical';
import { forwarded, refuseTool } from '../upstream/request-body.ts';
import {
  answerToolOf,
  chosenNames,
  freeText,
  type KnownTool,
  knownTools,
  withPlainSchema,
} from '../upstream/tools.ts';
import { cacheBreakpoint, toolName } from './encode-conversation.ts';
import { messagesChoices } from './fields.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import type { MessagesCustomToolParam, MessagesToolChoiceParam, MessagesToolParam } from './request.ts';

const noParameters = { type: 'object', properties: {} };

/**
 * Returns the answer tool, for models without structured output: its input is the response.
 * Undefined if it is not needed.
 */
export function answerTool(request: GenerateRequest, model: string): MessagesCustomToolParam | undefined {
  const answer = modelTraits(model).schema ? undefined : answerToolOf(request);
  return answer && { name: answer.name, description: answer.description, input_schema: answer.schema };
}

/** Returns the tools of a request by their names at the upstream. */
export function toolsByName(request: GenerateRequest, model: string): Map<string, KnownTool> {
  return knownTools(request, toolName, answerTool(request, model));
}

/** Encodes the tools that may be chosen. @throws GatewayError for a tool that only another vendor runs */
export function wireTools(
  { tools = [], toolChoice }: GenerateRequest,
  capabilities: Pick<ModelTraits, 'schema'>,
  argumentsOf = withPlainSchema,
): MessagesToolParam[] {
  const names = chosenNames(toolChoice);
  return tools
    .filter(tool => !names || tool.type === 'web-search' || ('name' in tool && names.has(tool.name)))
    .map(tool => wireTool(tool, capabilities, argumentsOf));
}

function wireTool(
  tool: Tool,
  capabilities: Pick<ModelTraits, 'schema'>,
  argumentsOf: typeof withPlainSchema,
): MessagesToolParam {
  switch (tool.type) {
    case 'function':
      return functionTool(tool, capabilities, argumentsOf);
    case 'custom':
      return { name: toolName(tool.name), description: tool.description, input_schema: freeText };
    case 'web-search': {
      const { location, own } = tool;
      if (own?.format === 'messages') return forwarded(own.value);
      const user_location = location && { type: 'approximate' as const, ...location };
      return { type: 'web_search_20250305', name: 'web_search', user_location };
    }
    case 'opaque':
      if (tool.format === 'messages') return forwarded(tool.value);
      return refuseTool(tool);
  }
}

function functionTool(
  tool: Extract<Tool, { type: 'function' }>,
  capabilities: Pick<ModelTraits, 'schema'>,
  argumentsOf: typeof withPlainSchema,
): MessagesCustomToolParam {
  const { name, description, cache } = tool;
  const { parameters = {}, strict } = argumentsOf(tool);
  return {
    name: toolName(name),
    description,
    input_schema: parameters.type === undefined ? { ...noParameters, ...parameters } : parameters,
    strict: strict && capabilities.schema ? true : undefined,
    cache_control: cacheBreakpoint(cache),
  };
}

/** Encodes the tool choice; undefined for the upstream's default. */
export function wireChoice(
  choice: ToolChoice | undefined,
  parallel: boolean | undefined,
): MessagesToolChoiceParam | undefined {
  const serial = parallel === false ? true : undefined;
  if (!choice) return serial && { type: 'auto', disable_parallel_tool_use: serial };
  switch (choice.type) {
    case 'none':
      return { type: 'none' };
    case 'tool':
      return { type: 'tool', name: toolName(choice.name), disable_parallel_tool_use: serial };
    default:
      return { type: messagesChoices[choice.type], disable_parallel_tool_use: serial };
  }
}

/** True if the model must call a tool. Thinking is not allowed then. */
export function isForced(choice: MessagesToolChoiceParam | undefined): boolean {
  return choice?.type === 'any' || choice?.type === 'tool';
}
