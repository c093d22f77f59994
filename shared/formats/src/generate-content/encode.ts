import { type GenerateRequest, type Output, type Reasoning, translatedTier } from '@model-gateway/canonical';
import { type Edit, memberText, parseExact, spliceTopLevel } from '@model-gateway/json';
import type {
  CanonicalInput,
  GenerateInput,
  InputFacts,
  UpstreamRequest,
  VerbatimInput,
} from '../upstream/dialect.ts';
import { budgetOf, effortOf, nearest } from '../upstream/effort.ts';
import { resourceName, resourcePath } from '../upstream/google-resource.ts';
import {
  checkToolChoice,
  JsonBody,
  membersOf,
  refuse,
  refuseVendorFields,
  withoutDropped,
  withoutUndefined,
} from '../upstream/request-body.ts';
import { conversation } from './encode-conversation.ts';
import {
  hasFunctions,
  refuseVendorToolChoice,
  toolFields,
  vendorSchema,
  withoutConst,
} from './encode-tools.ts';
import { type ThinkingLevel, thinkingLevels } from './enums.ts';
import { type ModelTraits, modelTraits, type ThinkingTraits } from './models.ts';
import { camelCase } from './proto-json.ts';
import type {
  GenerateContentConfigParam,
  GenerateContentCountParams,
  GenerateContentRequestParams,
} from './request.ts';
import { sanitizeHistory } from './sanitize-history.ts';
import { writeConfig } from './write.ts';

/** Writes a request: the client's text if it has this format, otherwise a translation. */
export function encode(input: GenerateInput): UpstreamRequest {
  return {
    path: pathOf(input),
    body: input.body === 'canonical' ? new JsonBody(body(input)) : splice(input),
  };
}

/** A request without the fields that the model does not accept. */
type Params = Partial<GenerateContentRequestParams>;

function body(input: CanonicalInput): Params | GenerateContentCountParams {
  const translated = translate(input);
  if (input.envelope.operation !== 'count-tokens' || namedInUrl(input)) return translated;
  return { generateContentRequest: { model: resourceName(input.model), ...translated } };
}

/** True if the URL alone names the model. */
function namedInUrl({ differences }: GenerateInput): boolean {
  return differences?.inUrl?.includes('model') === true;
}

/** Returns the path with the model and method. Streams are always requested as SSE. */
function pathOf({ envelope, body, model, drop }: GenerateInput): string {
  const path = resourcePath(model);
  if (envelope.operation === 'count-tokens') return `${path}:countTokens`;
  const streams = body === 'canonical' ? !drop.includes('stream') : envelope.stream;
  return streams ? `${path}:streamGenerateContent?alt=sse` : `${path}:generateContent`;
}

function splice(input: VerbatimInput): Buffer {
  const edits = requestEdits(input);
  if (namedInUrl(input)) return spliceTopLevel(unwrapped(input), edits);
  const whole = new Map(edits);
  // A token count may wrap a whole request.
  for (const name of spellings('generateContentRequest')) whole.set(name, within(edits));
  return spliceTopLevel(input.text, whole);
}

/** Returns the client's JSON, or the whole request that a token count wraps. */
function unwrapped({ text, envelope }: VerbatimInput): Buffer {
  if (envelope.operation !== 'count-tokens') return text;
  const wrapped = spellings('generateContentRequest').map(name => memberText(text, name));
  const whole = wrapped.find(member => member?.startsWith('{'));
  return whole === undefined ? text : Buffer.from(whole);
}

function requestEdits(input: VerbatimInput): Map<string, Edit> {
  const { envelope, model, drop } = input;
  const edits = new Map<string, Edit>([
    ['model', current => (current && !namedInUrl(input) ? JSON.stringify(resourceName(model)) : null)],
  ]);
  if (envelope.foreign) edits.set('contents', contents => sanitizedContents(contents, model));
  const dropped = drop
    .flatMap(name => spellings(camelCase(name)))
    .map((name): [string, Edit] => [name, null]);
  if (dropped.length === 0) return edits;
  for (const name of spellings('generationConfig')) edits.set(name, within(new Map(dropped)));
  return new Map([...edits, ...dropped]);
}

/** Returns the accepted spellings of a field: camel case and snake case. */
function spellings(name: string): string[] {
  return [...new Set([name, name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)])];
}

/** Edits the members of a nested object. One that is absent or `null` stays unchanged. */
function within(edits: ReadonlyMap<string, Edit>): Edit {
  return current => {
    if (!current?.startsWith('{')) return current ?? null;
    return spliceTopLevel(Buffer.from(current), edits).toString('utf8');
  };
}

/** Returns the client's history without other vendors' signatures. */
function sanitizedContents(contents: string | undefined, model: string): string | null {
  if (contents === undefined) return null;
  const sent = parseExact(contents);
  const list = (Array.isArray(sent) ? sent : [sent]) as Record<string, unknown>[];
  return JSON.stringify(sanitizeHistory(list, modelTraits(model).signed));
}

function translate({ request, model, drop, limits }: CanonicalInput): Params {
  checkToolChoice(request);
  const capabilities = modelTraits(model);
  const dropped = drop.map(camelCase);
  const {
    generationConfig: ownConfig,
    toolConfig: ownTools,
    ...ownFields
  } = request.extensions?.['generate-content'] ?? {};
  const { system, contents } = conversation(request, capabilities);
  system.push(...formatInstruction(request, capabilities));
  const config = withoutUndefined({
    ...membersOf(ownConfig),
    ...generationConfig(request, capabilities, limits),
  });
  const keptConfig = withoutDropped(config, dropped);
  refuseVendorToolChoice(request);
  const params: GenerateContentRequestParams = {
    systemInstruction: system.length > 0 ? { parts: system } : undefined,
    contents,
    ...toolFields(request, ownTools, vendorSchema),
    serviceTier: translatedTier(request.serviceTier),
    generationConfig: Object.keys(keptConfig).length > 0 ? keptConfig : undefined,
  };
  return withoutDropped({ ...ownFields, ...withoutUndefined(params) }, dropped);
}

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
function formatInstruction(request: GenerateRequest, capabilities: ModelTraits): { text: string }[] {
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
