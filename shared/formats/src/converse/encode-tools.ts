import type { GenerateRequest, Tool, ToolChoice } from '@model-gateway/canonical';
import {
  answerToolOf,
  chosenNames,
  freeText,
  type KnownTool,
  knownTools,
  toolName,
  withPlainSchema,
} from '../upstream/tools.ts';
import { refuse, refuseTool } from '../upstream/unsupported.ts';
import { cachePoint } from './encode-content.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import type { ConverseRequestParams, ConverseToolChoiceParam, ConverseToolParam } from './params.ts';

/** Returns the tools of a request by their names at the upstream. */
export function toolsByName(request: GenerateRequest, model: string): Map<string, KnownTool> {
  return knownTools(request, toolName, modelTraits(model).schema ? undefined : answerToolOf(request));
}

/** Encodes the tools that may be chosen. @throws GatewayError for a tool that only another vendor runs */
export function toolConfig(
  request: GenerateRequest,
  traits: ModelTraits,
): ConverseRequestParams['toolConfig'] {
  const { tools = [], toolChoice } = request;
  const names = chosenNames(toolChoice);
  // Converse has no choice of none.
  const wanted = toolChoice?.type === 'none' ? [] : tools;
  const encoded = wanted
    .filter(tool => !names || ('name' in tool && names.has(tool.name)))
    .flatMap(tool => encodeTool(tool, traits));
  const answer = traits.schema ? undefined : answerToolOf(request);
  if (!answer) return encoded.length > 0 ? { tools: encoded, toolChoice: choiceOf(toolChoice) } : undefined;
  const { name, description, schema } = answer;
  // If the client has tools, the model must be able to call them before the answer tool.
  const choice: ConverseToolChoiceParam | undefined =
    encoded.length === 0 ? { any: {} } : choiceOf(toolChoice);
  encoded.push({ toolSpec: { name, description, inputSchema: { json: schema } } });
  return { tools: encoded, toolChoice: choice };
}

function encodeTool(tool: Tool, traits: ModelTraits): ConverseToolParam[] {
  switch (tool.type) {
    case 'function': {
      const { name, description, cache } = tool;
      const { parameters = {}, strict } = withPlainSchema(tool);
      const toolSpec = {
        name: toolName(name),
        description: description?.trim() ? description : undefined,
        inputSchema: { json: parameters.type === undefined ? { type: 'object', ...parameters } : parameters },
        strict: strict && traits.schema ? (true as const) : undefined,
      };
      return [{ toolSpec }, ...cachePoint(cache, { traits })];
    }
    case 'custom': {
      const { name, description } = tool;
      const about = { name: toolName(name), description: description?.trim() ? description : undefined };
      return [{ toolSpec: { ...about, inputSchema: { json: freeText } } }];
    }
    case 'web-search':
      return refuse('tools', 'This model does not search the web.');
    case 'opaque':
      return refuseTool(tool);
  }
}

/** Encodes the tool choice; undefined for the upstream's default. */
function choiceOf(choice: ToolChoice | undefined): ConverseToolChoiceParam | undefined {
  switch (choice?.type) {
    case 'auto':
      return { auto: {} };
    case 'required':
      return { any: {} };
    case 'tool':
      return { tool: { name: toolName(choice.name) } };
    default:
      return undefined;
  }
}
