import type { GenerateRequest, Tool, ToolChoice } from '@model-gateway/canonical';
import { answerToolOf, type KnownTool } from '../upstream/answer-tool.ts';
import { forwarded } from '../upstream/request-body.ts';
import { chosenNames } from '../upstream/tool-names.ts';
import { withPlainSchema } from '../upstream/tool-schema.ts';
import { refuse } from '../upstream/unsupported.ts';
import { cacheBreakpoint } from './encode-media.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import { toolName } from './names.ts';
import type { MessagesCustomToolParam, MessagesToolChoiceParam, MessagesToolParam } from './params.ts';

const noParameters = { type: 'object', properties: {} };
const freeText = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

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
  const known = new Map<string, KnownTool>();
  for (const tool of request.tools ?? []) {
    if ('name' in tool) known.set(toolName(tool.name), { type: tool.type, name: tool.name });
  }
  const answer = answerTool(request, model);
  if (answer) known.set(answer.name, { type: 'answer' });
  return known;
}

/** Encodes the tools that may be chosen. @throws GatewayError for a tool that only another vendor runs */
export function wireTools(
  { tools = [], toolChoice }: GenerateRequest,
  capabilities: ModelTraits,
): MessagesToolParam[] {
  const names = chosenNames(toolChoice);
  return tools
    .filter(tool => !names || tool.type === 'web-search' || ('name' in tool && names.has(tool.name)))
    .map(tool => wireTool(tool, capabilities));
}

function wireTool(tool: Tool, capabilities: ModelTraits): MessagesToolParam {
  switch (tool.type) {
    case 'function':
      return functionTool(tool, capabilities);
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
      return refuse(
        'tools',
        `The tool '${tool.value.type ?? Object.keys(tool.value)[0]}' is not run by this model's vendor.`,
      );
  }
}

function functionTool(
  tool: Extract<Tool, { type: 'function' }>,
  capabilities: ModelTraits,
): MessagesCustomToolParam {
  const { name, description, cache } = tool;
  const { parameters = {}, strict } = withPlainSchema(tool);
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
  switch (choice?.type) {
    case undefined:
      return serial && { type: 'auto', disable_parallel_tool_use: serial };
    case 'auto':
      return { type: 'auto', disable_parallel_tool_use: serial };
    case 'required':
      return { type: 'any', disable_parallel_tool_use: serial };
    case 'tool':
      return { type: 'tool', name: toolName(choice.name), disable_parallel_tool_use: serial };
    case 'none':
      return { type: 'none' };
  }
}

/** True if the model must call a tool. Thinking is not allowed then. */
export function isForced(choice: MessagesToolChoiceParam | undefined): boolean {
  return choice?.type === 'any' || choice?.type === 'tool';
}
