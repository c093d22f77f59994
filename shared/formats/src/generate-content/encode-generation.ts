import type { GenerateRequest, Output, Reasoning } from '@model-gateway/canonical';
import type { InputFacts } from '../upstream/dialect.ts';
import { budgetOf, effortOf, nearest } from '../upstream/effort.ts';
import { withoutUndefined } from '../upstream/request-body.ts';
import { refuse, refuseVendorFields } from '../upstream/unsupported.ts';
import { hasFunctions, withoutConst } from './encode-tools.ts';
import { type ThinkingLevel, thinkingLevels } from './enums.ts';
import type { ModelTraits, ThinkingTraits } from './models.ts';
import type { GenerateContentConfigParam } from './request.ts';
import { writeConfig } from './write.ts';

/** The format's limits on stop sequences and candidates. */
const maxStop = 5;
const maxChoices = 8;
/** Seeds are signed 32-bit integers. */
const maxSeed = 2 ** 31 - 1;

/** Writes `generationConfig` for a model; undefined is not sent. @throws GatewayError for unsupported parameters */
export function generationConfig(
  request: GenerateRequest,
  capabilities: ModelTraits,
  limits: InputFacts['limits'],
): GenerateContentConfigParam {
  rejectUnsupported(request);
  const { maxTokens, seed, output } = request;
  const sent: GenerateRequest = {
    ...request,
    stop: stopOf(request),
    maxTokens: maxTokens && Math.min(maxTokens, limits.maxOutput ?? maxTokens),
    seed: seed !== undefined && Math.abs(seed) <= maxSeed ? seed : undefined,
    // Many models refuse penalties, even a penalty of 0.
    presencePenalty: request.presencePenalty || undefined,
    frequencyPenalty: request.frequencyPenalty || undefined,
    output: output && takesFormat(request, capabilities) ? withoutConstants(output) : undefined,
  };
  return { ...writeConfig(sent), ...thinkingConfig(request.reasoning, capabilities) };
}

function withoutConstants(output: Output): Output {
  return output.type === 'schema' ? { ...output, schema: withoutConst(output.schema) } : output;
}

/** Writes the output format as an instruction, for models without JSON output together with functions. */
export function formatInstruction(request: GenerateRequest, capabilities: ModelTraits): { text: string }[] {
  const { output = { type: 'text' } } = request;
  if (output.type === 'text' || takesFormat(request, capabilities)) return [];
  const schema =
    output.type === 'schema' ? ` It must match this JSON schema: ${JSON.stringify(output.schema)}` : '';
  return [{ text: `${jsonOnly}${schema}` }];
}

const jsonOnly = 'Answer with one valid JSON value and nothing else: no explanation, no code fence.';

function takesFormat(request: GenerateRequest, { jsonWithTools }: ModelTraits): boolean {
  return jsonWithTools || !hasFunctions(request);
}

function stopOf({ stop = [] }: GenerateRequest): string[] {
  return stop.filter(sequence => sequence !== '');
}

function rejectUnsupported(request: GenerateRequest): void {
  const { n = 1, maxTokens = 1, logprobs, logitBias = {} } = request;
  refuseVendorFields(request, 'generate-content');
  const stop = stopOf(request).length;
  if (maxTokens < 1) refuse('maxTokens', `Invalid '{path}': ${maxTokens} is less than 1.`);
  if (n > maxChoices)
    refuse('n', `Invalid '{path}': this model returns at most ${maxChoices} choices, but got ${n}.`);
  if (stop > maxStop)
    refuse('stop', `Invalid '{path}': this model takes at most ${maxStop} stop sequences, but got ${stop}.`);
  // The gateway's parts have no field for log probabilities.
  if (logprobs)
    refuse('logprobs', "Invalid '{path}': log probabilities are not available for a translated request.");
  if (Object.keys(logitBias).length > 0)
    refuse('logitBias', "Invalid '{path}': this model does not support it.");
}

/** The upstream's `thinkingConfig`. */
type ThinkingConfig = NonNullable<GenerateContentConfigParam['thinkingConfig']>;

/** The budget value that lets the model decide. */
const automatic = -1;

/** Writes `thinkingConfig`; empty if no reasoning is requested or the model does not support it. */
export function thinkingConfig(
  reasoning: Reasoning | undefined,
  { thinking }: ModelTraits,
): Pick<GenerateContentConfigParam, 'thinkingConfig'> {
  if (!reasoning || thinking.by === 'none') return {};
  const amount =
    thinking.by === 'level' ? byLevel(reasoning, thinking.levels) : byBudget(reasoning, thinking);
  // Formats with a token budget return the reasoning by default.
  const { show = reasoning.budget === undefined ? undefined : true } = reasoning;
  const includeThoughts = effortOf(reasoning) === 'none' ? false : show;
  const config: ThinkingConfig = withoutUndefined({ includeThoughts, ...amount });
  return Object.keys(config).length > 0 ? { thinkingConfig: config } : {};
}

function byLevel(reasoning: Reasoning, supported: readonly ThinkingLevel[]): ThinkingConfig {
  const effort = effortOf(reasoning);
  const level = effort && nearest(effort, supported);
  return level ? { thinkingLevel: thinkingLevels[level] } : {};
}

type Budgets = Extract<ThinkingTraits, { by: 'budget' }>;

function byBudget(reasoning: Reasoning, { least, most, supportsThinkingOff }: Budgets): ThinkingConfig {
  const budget = budgetOf(reasoning) ?? (reasoning.adaptive ? automatic : undefined);
  if (budget === undefined) return {};
  if (budget < 0 || (budget === 0 && supportsThinkingOff))
    return { thinkingBudget: Math.max(budget, automatic) };
  return { thinkingBudget: Math.min(Math.max(budget, least), most) };
}
