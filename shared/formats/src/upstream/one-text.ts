import type { GenerateRequest } from '@model-gateway/canonical';
import { isObjectSchema } from './answer-tool.ts';
import { refuse } from './unsupported.ts';

/** @throws GatewayError for settings that a format of one answer in text cannot express. Unsupported hints are left out. */
export function refuseBeyondOneText(request: GenerateRequest): void {
  const { n = 1, maxTokens = 1, logprobs, logitBias = {}, modalities = [], output } = request;
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
