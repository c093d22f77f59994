import { type GenerateRequest, translatedTier } from '@model-gateway/canonical';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { effortOf } from '../upstream/effort.ts';
import { withoutUndefined, writtenBody } from '../upstream/request-body.ts';
import { checkStops } from '../upstream/stop-cut.ts';
import { jsonOnly } from '../upstream/tools.ts';
import { checkToolChoice, refuseBeyondOneText, refuseVendorFields } from '../upstream/unsupported.ts';
import { conversation, limitBreakpoints } from './encode-conversation.ts';
import { toolConfig } from './encode-tools.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import { DocumentNames } from './names.ts';
import type { ConverseRequestParams } from './params.ts';

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
