import type { GenerateRequest, Tool, ToolChoice } from '@model-gateway/canonical';
import { answerToolOf, type KnownTool } from '../upstream/answer-tool.ts';
import { chosenNames, toolName } from '../upstream/tool-names.ts';
import { withPlainSchema } from '../upstream/tool-schema.ts';
import { refuse } from '../upstream/unsupported.ts';
import { cachePoint } from './encode-content.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import type { ConverseRequestParams, ConverseToolChoiceParam, ConverseToolParam } from './params.ts';

const freeText = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

/** Returns the tools of a request by their names at the upstream. */
export function toolsByName(request: GenerateRequest, model: string): Map<string, KnownTool> {
  const known = new Map<string, KnownTool>();
  for (const tool of request.tools ?? []) {
    if ('name' in tool) known.set(toolName(tool.name), { type: tool.type, name: tool.name });
  }
  const answer = modelTraits(model).schema ? undefined : answerToolOf(request);
  if (answer) known.set(answer.name, { type: 'answer' });
  return known;
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
      return [
        {
          toolSpec: {
            name: toolName(name),
            description: description?.trim() ? description : undefined,
            inputSchema: { json: freeText },
          },
        },
      ];
    }
    case 'web-search':
      return refuse('tools', 'This model does not search the web.');
    case 'opaque':
      return refuse(
        'tools',
        `The tool '${tool.value.type ?? Object.keys(tool.value)[0]}' is not run by this model's vendor.`,
      );
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
