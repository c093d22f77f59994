import type { GenerateRequest, Output } from '@model-gateway/canonical';
import type { EncodeInput } from '../dialect.ts';
import { refuseOwnWork } from '../unsupported.ts';
import { type Part, refuse } from './content.ts';
import type { ModelTraits } from './models.ts';
import { withoutConst } from './schema.ts';
import { thinkingConfig } from './thinking.ts';
import { hasFunctions } from './tools.ts';

/** The most stop sequences, and answers, that the format takes. */
const maxStop = 5;
const maxChoices = 8;
/** Seeds have 32 bits. */
const maxSeed = 2 ** 31 - 1;

/** The parameters of an answer; undefined is not sent. @throws GatewayError for what an answer could not be true to */
export function generationConfig(
  request: GenerateRequest,
  traits: ModelTraits,
  limits: EncodeInput['limits'],
): Record<string, unknown> {
  refuseUnsayable(request);
  const { maxTokens, seed } = request;
  const stop = stopOf(request);
  return {
    candidateCount: request.n,
    stopSequences: stop.length > 0 ? stop : undefined,
    maxOutputTokens: maxTokens && Math.min(maxTokens, limits.maxOutput ?? maxTokens),
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    seed: seed !== undefined && Math.abs(seed) <= maxSeed ? seed : undefined,
    // Many models refuse them even where they change nothing.
    presencePenalty: request.presencePenalty || undefined,
    frequencyPenalty: request.frequencyPenalty || undefined,
    responseModalities: request.modalities?.map(modality => modality.toUpperCase()),
    ...format(request, traits),
    ...thinkingConfig(request.reasoning, traits),
  };
}

/** What a model must be told in words, since it takes no form of the answer beside functions. */
export function formatInstruction(request: GenerateRequest, traits: ModelTraits): Part[] {
  const { output = { type: 'text' } } = request;
  if (output.type === 'text' || takesFormat(request, traits)) return [];
  const schema =
    output.type === 'schema' ? ` It must match this JSON schema: ${JSON.stringify(output.schema)}` : '';
  return [{ text: `${jsonOnly}${schema}` }];
}

const jsonOnly = 'Answer with one valid JSON value and nothing else: no explanation, no code fence.';

function format(request: GenerateRequest, traits: ModelTraits): Record<string, unknown> {
  const { output } = request;
  if (!output || output.type === 'text' || !takesFormat(request, traits)) return {};
  return { responseMimeType: 'application/json', ...schemaOf(output) };
}

function schemaOf(output: Output): Record<string, unknown> {
  return output.type === 'schema' ? { responseJsonSchema: withoutConst(output.schema) } : {};
}

function takesFormat(request: GenerateRequest, { jsonWithTools }: ModelTraits): boolean {
  return jsonWithTools || !hasFunctions(request);
}

function stopOf({ stop = [] }: GenerateRequest): string[] {
  return stop.filter(sequence => sequence !== '');
}

function refuseUnsayable(request: GenerateRequest): void {
  const { n = 1, maxTokens = 1, logprobs, logitBias = {} } = request;
  refuseOwnWork(request);
  const stop = stopOf(request).length;
  if (maxTokens < 1) refuse(...field('maxOutputTokens', `${maxTokens} is less than 1`));
  if (n > maxChoices)
    refuse(...field('candidateCount', `this model gives at most ${maxChoices} answers, not ${n}`));
  if (stop > maxStop)
    refuse(...field('stopSequences', `this model takes at most ${maxStop} of them, not ${stop}`));
  // Parts of an answer have no place for them.
  if (logprobs) refuse(...field('responseLogprobs', 'log probabilities cannot be had in translation'));
  if (Object.keys(logitBias).length > 0) refuse('logit_bias', "Invalid 'logit_bias': this model takes none.");
}

function field(name: string, why: string): [param: string, message: string] {
  const param = `generationConfig.${name}`;
  return [param, `Invalid '${param}': ${why}.`];
}
