import type { Effort, GenerateRequest, Output, Reasoning } from '@model-gateway/canonical';
import type { EncodeInput } from '../dialect.ts';
import { budgets, effortOf } from '../effort.ts';
import { refuseOwnWork } from '../unsupported.ts';
import { type Part, refuse } from './content.ts';
import { hasFunctions } from './encode-tools.ts';
import type { Level, ModelTraits, ThinkingTraits } from './models.ts';

/** The most stop sequences, and answers, that the format takes. */
const maxStop = 5;
const maxChoices = 8;
/** Seeds have 32 bits. */
const maxSeed = 2 ** 31 - 1;

/** The parameters of an answer; undefined is not sent. @throws GatewayError for what an answer could not be true to */
export function generationConfig(
  request: GenerateRequest,
  capabilities: ModelTraits,
  limits: EncodeInput['limits'],
): Record<string, unknown> {
  rejectUnsupported(request);
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
    ...format(request, capabilities),
    ...thinkingConfig(request.reasoning, capabilities),
  };
}

/** What a model must be told in words, since it takes no form of the answer beside functions. */
export function formatInstruction(request: GenerateRequest, capabilities: ModelTraits): Part[] {
  const { output = { type: 'text' } } = request;
  if (output.type === 'text' || takesFormat(request, capabilities)) return [];
  const schema =
    output.type === 'schema' ? ` It must match this JSON schema: ${JSON.stringify(output.schema)}` : '';
  return [{ text: `${jsonOnly}${schema}` }];
}

const jsonOnly = 'Answer with one valid JSON value and nothing else: no explanation, no code fence.';

function format(request: GenerateRequest, capabilities: ModelTraits): Record<string, unknown> {
  const { output } = request;
  if (!output || output.type === 'text' || !takesFormat(request, capabilities)) return {};
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

function rejectUnsupported(request: GenerateRequest): void {
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

/** How a request asks to think. */
export interface ThinkingConfig {
  includeThoughts?: boolean;
  thinkingBudget?: number;
  thinkingLevel?: Level;
}

/** The levels that come nearest to each effort, the best first; every model has one of them. */
const levels: Record<Effort, readonly Level[]> = {
  none: ['MINIMAL', 'LOW'],
  minimal: ['MINIMAL', 'LOW'],
  low: ['LOW'],
  medium: ['MEDIUM', 'HIGH'],
  high: ['HIGH'],
  xhigh: ['HIGH'],
  max: ['HIGH'],
};

/** Least thought: these models count in smaller steps than others do. */
const minimal = 512;
/** As much as the model likes. */
const automatic = -1;

/** What a wish to reason comes to for a model; nothing where nothing was wished, or the model does not think. */
export function thinkingConfig(
  reasoning: Reasoning | undefined,
  { thinking }: ModelTraits,
): { thinkingConfig?: ThinkingConfig } {
  if (!reasoning || thinking.by === 'none') return {};
  const amount =
    thinking.by === 'level' ? byLevel(reasoning, thinking.levels) : byBudget(reasoning, thinking);
  // Who names a number of tokens is used to see what they were spent on.
  const { show = reasoning.budget === undefined ? undefined : true } = reasoning;
  const shown = effortOf(reasoning) === 'none' ? false : show;
  const config = { ...(shown !== undefined && { includeThoughts: shown }), ...amount };
  return Object.keys(config).length > 0 ? { thinkingConfig: config } : {};
}

function byLevel(reasoning: Reasoning, has: readonly Level[]): ThinkingConfig {
  const effort = effortOf(reasoning);
  const level = effort && levels[effort].find(name => has.includes(name));
  return level ? { thinkingLevel: level } : {};
}

type Budgets = Extract<ThinkingTraits, { by: 'budget' }>;

function byBudget(reasoning: Reasoning, { least, most, supportsThinkingOff }: Budgets): ThinkingConfig {
  const wanted = wantedBudget(reasoning);
  if (wanted === undefined) return {};
  if (wanted < 0 || (wanted === 0 && supportsThinkingOff))
    return { thinkingBudget: Math.max(wanted, automatic) };
  return { thinkingBudget: Math.min(Math.max(wanted, least), most) };
}

function wantedBudget({ effort, budget, adaptive }: Reasoning): number | undefined {
  if (budget !== undefined) return budget;
  if (effort) return effort === 'minimal' ? minimal : budgets[effort];
  return adaptive ? automatic : undefined;
}

/** What holds schemas by name, and what holds a list of them or one. */
const named = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
const nested = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties', 'not']);

/** A JSON schema as this vendor keeps to it: it overlooks `const`, but not a list of one value. */
export function withoutConst(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]): [string, unknown] => {
      if (name === 'const' && schema.enum === undefined) return ['enum', [value]];
      if (nested.has(name)) return [name, Array.isArray(value) ? value.map(inner) : inner(value)];
      return [name, named.has(name) && isObject(value) ? inEach(value) : value];
    }),
  );
}

function inEach(schemas: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inner(schema)]));
}

function inner(schema: unknown): unknown {
  return isObject(schema) ? withoutConst(schema) : schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
