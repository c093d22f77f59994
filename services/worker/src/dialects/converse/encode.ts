import type { GenerateRequest } from '@model-gateway/canonical';
import type { ConverseRequestParams } from '@model-gateway/wire';
import { isObjectSchema, jsonOnly } from '../answer-tool.ts';
import type { CanonicalInput, UpstreamRequest } from '../dialect.ts';
import { effortOf } from '../effort.ts';
import { withoutUndefined, writtenBody } from '../request-body.ts';
import { checkToolChoice, refuse, refuseVendorFields } from '../unsupported.ts';
import { conversation, limitBreakpoints } from './encode-conversation.ts';
import { toolConfig } from './encode-tools.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import { DocumentNames } from './names.ts';

/** Translates a request. The URL says whether it asks for a stream. */
export function encode(input: CanonicalInput): UpstreamRequest {
  return { path: '/converse', body: writtenBody(input, withoutUndefined(translate(input))) };
}

function translate({ request, model, limits }: CanonicalInput): ConverseRequestParams {
  rejectUnsupported(request);
  checkToolChoice(request);
  const traits = modelTraits(model);
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
    additionalModelRequestFields: additionalFields(request, traits, maxTokens !== undefined),
    serviceTier: serviceTier(request.serviceTier),
    outputConfig: outputConfig(request, traits),
  };
  limitBreakpoints(body);
  return body;
}

/** @throws GatewayError for settings that this format cannot express. Unsupported hints are left out. */
function rejectUnsupported(request: GenerateRequest): void {
  const { n = 1, maxTokens = 1, logprobs, logitBias = {}, modalities = [], output } = request;
  refuseVendorFields(request, 'converse');
  if (maxTokens < 1) refuse('maxTokens', `Invalid '{path}': ${maxTokens} is less than 1.`);
  if (output?.type === 'schema' && !isObjectSchema(output.schema))
    refuse('output', "Invalid '{path}': this model supports only a schema of type 'object'.");
  if (n > 1) refuse('n', `Invalid '{path}': this model supports only one choice, but got ${n}.`);
  if (logprobs) refuse('logprobs', "Invalid '{path}': this model does not return log probabilities.");
  if (Object.keys(logitBias).length > 0)
    refuse('logitBias', "Invalid '{path}': this model does not support it.");
  const other = modalities.find(modality => modality !== 'text');
  if (other) refuse('modalities', `Invalid '{path}': this model outputs only text, not ${other}.`);
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
  limited: boolean,
): ConverseRequestParams['additionalModelRequestFields'] {
  const effort = reasoning && effortOf(reasoning);
  const fields = {
    ...(topK !== undefined && traits.topK?.(topK)),
    ...(effort !== undefined && traits.effort?.(effort, limited)),
  };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

function serviceTier(tier: string | undefined): ConverseRequestParams['serviceTier'] {
  return tier === 'default' || tier === 'flex' || tier === 'priority' ? { type: tier } : undefined;
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
