import { type GenerateRequest, type Tool, type ToolChoice, translatedTier } from '@model-gateway/canonical';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { effortOf } from '../upstream/effort.ts';
import {
  checkToolChoice,
  refuse,
  refuseBeyondOneText,
  refuseTool,
  refuseVendorFields,
  withoutUndefined,
  writtenBody,
} from '../upstream/request-body.ts';
import { checkStops } from '../upstream/stop-cut.ts';
import {
  answerToolOf,
  chosenNames,
  freeText,
  jsonOnly,
  type KnownTool,
  knownTools,
  toolName,
  withPlainSchema,
} from '../upstream/tools.ts';
import { cachePoint, conversation, DocumentNames, limitBreakpoints } from './encode-content.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import type { ConverseRequestParams, ConverseToolChoiceParam, ConverseToolParam } from './types.ts';

/** Translates a request. The URL says whether it asks for a stream. */
export function encode(input: CanonicalInput): UpstreamRequest {
  return { path: '/converse', body: writtenBody(input, withoutUndefined(translate(input))) };
}

function translate({ request, model, limits }: CanonicalInput): ConverseRequestParams {
  refuseVendorFields(request, 'converse');
  refuseBeyondOneText(request);
  checkToolChoice(request);
  const traits = modelTraits(model);
  if (!traits.stops) checkStops(request.stop);
  const tools = toolConfig(request, traits);
  const context = { traits, names: new DocumentNames(), hasTools: tools !== undefined };
  const { system, turns } = conversation(request, context);
  if (request.output?.type === 'json') system.push({ text: jsonOnly });
  const maxTokens = request.maxTokens ?? limits.maxOutput;
  const body: ConverseRequestParams = {
    messages: turns,
    system: system.length > 0 ? system : undefined,
    inferenceConfig: inferenceConfig(request, traits, maxTokens),
    toolConfig: tools,
    additionalModelRequestFields: additionalFields(request, traits, {
      model,
      limited: maxTokens !== undefined,
    }),
    serviceTier: serviceTier(request.serviceTier),
    outputConfig: outputConfig(request, traits),
  };
  limitBreakpoints(body);
  return body;
}

/** Encodes limits and sampling. Bedrock takes a temperature of at most 1. */
function inferenceConfig(
  { temperature, topP, stop = [] }: GenerateRequest,
  traits: ModelTraits,
  maxTokens: number | undefined,
): ConverseRequestParams['inferenceConfig'] {
  const sequences = traits.stops ? stop.filter(sequence => sequence !== '') : [];
  const config = withoutUndefined({
    maxTokens,
    temperature: temperature === undefined || !traits.sampling ? undefined : Math.min(temperature, 1),
    topP: traits.sampling ? topP : undefined,
    stopSequences: sequences.length > 0 ? sequences : undefined,
  });
  return Object.keys(config).length > 0 ? config : undefined;
}

function additionalFields(
  { topK, reasoning }: GenerateRequest,
  traits: ModelTraits,
  context: { model: string; limited: boolean },
): ConverseRequestParams['additionalModelRequestFields'] {
  const effort = reasoning && effortOf(reasoning);
  const fields = {
    ...(topK !== undefined && traits.topK?.(topK)),
    ...(effort !== undefined && traits.effort?.(effort, context)),
  };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

function serviceTier(tier: string | undefined): ConverseRequestParams['serviceTier'] {
  const type = tier === 'default' ? tier : translatedTier(tier);
  return type && { type };
}

function outputConfig(
  { output }: GenerateRequest,
  { schema: supported }: ModelTraits,
): ConverseRequestParams['outputConfig'] {
  if (output?.type !== 'schema' || !supported) return undefined;
  const { schema, name } = output;
  const jsonSchema = { schema: JSON.stringify(schema), ...(name && { name }) };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

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
