import type { GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { type Edit, memberText, parseExact, spliceTopLevel } from '@model-gateway/json';
import type { CanonicalInput, GenerateInput, UpstreamRequest, VerbatimInput } from '../upstream/dialect.ts';
import { budgetOf, effortOf, nearest } from '../upstream/effort.ts';
import {
  checkToolChoice,
  type JsonBody,
  membersOf,
  refuseBeyondOneText,
  withoutUndefined,
  writtenBody,
} from '../upstream/request-body.ts';
import { jsonOnly } from '../upstream/tools.ts';
import { writtenValue } from '../values/value-table.ts';
import { conversation, userId } from './encode-conversation.ts';
import { answerTool, isForced, wireChoice, wireTools } from './encode-tools.ts';
import { type MessagesEffort, messagesEfforts, messagesTiers } from './fields.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import type {
  MessagesBlockParam,
  MessagesCacheControl,
  MessagesOutputConfigParam,
  MessagesRequestParams,
  MessagesThinkingParam,
  MessagesToolChoiceParam,
  MessagesToolParam,
} from './request.ts';
import { type ClientTurn, sanitizeHistory, sanitizeSystem } from './sanitize-history.ts';
import { writeFields } from './write.ts';

/** The API version for clients that send none. It accepts the fields of old and new clients. */
const defaultVersion = '2023-06-01';
/** Default output limit in tokens, supported by every model. */
const defaultMaxTokens = 4_096;

/** Encodes a request: passes the client's JSON on, or translates it. */
export function encode(input: GenerateInput): UpstreamRequest {
  const { envelope } = input;
  const counts = envelope.operation === 'count-tokens';
  return {
    path: counts ? '/v1/messages/count_tokens' : '/v1/messages',
    body: input.body === 'canonical' ? body(input) : splice(input),
    headers: anthropicHeaders(input),
  };
}

/** The fields that the token count accepts; the vendor refuses others. */
const counted = ['model', 'system', 'messages', 'tools', 'tool_choice', 'thinking', 'output_config'];

function body(input: CanonicalInput): JsonBody {
  const translated = { ...input.request.extensions?.messages, ...withoutUndefined(translate(input)) };
  const written =
    input.envelope.operation === 'count-tokens'
      ? Object.fromEntries(Object.entries(translated).filter(([field]) => counted.includes(field)))
      : translated;
  const { set, drop } = differingFields(input);
  return writtenBody({ drop: [...input.drop, ...drop] }, { ...written, ...set });
}

function splice(input: VerbatimInput): Buffer {
  const { text, model, drop } = input;
  const differing = differingFields(input);
  const edits = new Map<string, Edit>([
    ...historyEdits(input),
    ...drop.map((field): [string, Edit] => [field, null]),
  ]);
  edits.set('model', JSON.stringify(model));
  for (const field of differing.drop) edits.set(field, null);
  for (const [field, value] of Object.entries(differing.set)) edits.set(field, JSON.stringify(value));
  return spliceTopLevel(text, edits);
}

/** Returns the fields that a cloud wants in the body, and those that it refuses there. */
function differingFields({ differences, envelope }: GenerateInput): {
  set: Record<string, unknown>;
  drop: readonly string[];
} {
  if (!differences?.bodyVersion) return { set: {}, drop: [] };
  const { 'anthropic-version': version = defaultVersion, 'anthropic-beta': beta } = envelope.headers;
  const betas = differences.betas === 'body' ? beta : undefined;
  return {
    set: {
      // A newer version has the same name in the body, as Anthropic's SDKs for clouds send it.
      anthropic_version: version === defaultVersion ? differences.bodyVersion : version,
      ...(betas && { anthropic_beta: betas.split(',').map(beta => beta.trim()) }),
    },
    drop: envelope.operation === 'count-tokens' ? [] : (differences.inUrl ?? []),
  };
}

/** Returns the edits that mend the client's history, and remove thinking that the model would refuse then. */
function historyEdits({ text, model, envelope: { foreign } }: VerbatimInput): [string, Edit][] {
  const capabilities = modelTraits(model);
  if (!foreign && !(capabilities.callsNeedThinking && text.includes('"tool_use"'))) return [];
  const given = parseExact(memberText(text, 'messages') ?? '[]') as ClientTurn[];
  const turns = foreign ? sanitizeHistory(given) : given;
  const history: [string, Edit][] = foreign
    ? [
        ['messages', JSON.stringify(turns)],
        ['system', writtenSystem],
      ]
    : [];
  if (mustNotThink({ capabilities, turns })) return [...history, ['thinking', '{"type":"disabled"}']];
  return beginsLoopWithThinking(turns) ? history : [...history, ['thinking', unlessByBudget]];
}

/** Removes blank texts from a list of instructions. */
function writtenSystem(system: string | undefined): string | null {
  if (!system?.startsWith('[')) return system ?? null;
  const written = sanitizeSystem(parseExact(system) as Parameters<typeof sanitizeSystem>[0]);
  return written.length > 0 ? JSON.stringify(written) : null;
}

/** Removes thinking by budget: models refuse it if the thinking before their tool calls is missing. */
function unlessByBudget(thinking: string | undefined): string | null {
  if (thinking === undefined || JSON.parse(thinking)?.type === 'enabled') return null;
  return thinking;
}

function anthropicHeaders({ envelope: { headers }, differences }: GenerateInput): Record<string, string> {
  const beta = differences?.betas === 'body' ? undefined : headers['anthropic-beta'];
  return {
    ...(!differences?.bodyVersion && { 'anthropic-version': headers['anthropic-version'] ?? defaultVersion }),
    ...(beta && { 'anthropic-beta': beta }),
    // Of a stream in frames, this is the type of the events within.
    ...(differences?.streamType && { accept: 'application/json' }),
  };
}

function translate({ request, model, limits }: CanonicalInput): MessagesRequestParams {
  refuseBeyondOneText(request);
  checkToolChoice(request);
  const capabilities = modelTraits(model);
  const { system, turns } = conversation(request);
  if (request.output?.type === 'json') system.push({ type: 'text', text: jsonOnly });
  const maxTokens = request.maxTokens ?? limits.maxOutput ?? defaultMaxTokens;
  const choosing = toolFields(request, model, capabilities);
  const forced = isForced(choosing.tool_choice);
  const thought = thinking(request.reasoning, { capabilities, maxTokens, forced, turns });
  const thinks = thought.thinking !== undefined && thought.thinking.type !== 'disabled';
  const mayTune = capabilities.sampling && !thinks;
  const stop = request.stop?.filter(sequence => sequence.trim() !== '') ?? [];
  limitBreakpoints([...(choosing.tools ?? []), ...system, ...turns.flatMap(({ content }) => content)]);
  const extensions = request.extensions?.messages ?? {};
  return {
    model,
    ...choosing,
    ...writeFields({ ...request, stop, ...(mayTune ? sampling(request) : unsampled) }, { system, turns }),
    max_tokens: maxTokens,
    thinking: thought.thinking,
    output_config: outputConfig(request, capabilities, thought.effort, extensions.output_config),
    metadata: request.user ? { ...membersOf(extensions.metadata), user_id: userId(request.user) } : undefined,
    service_tier: writtenValue(messagesTiers, request.serviceTier),
    stream: true,
  };
}

type ToolFields = Pick<MessagesRequestParams, 'tools' | 'tool_choice'>;

function toolFields(request: GenerateRequest, model: string, capabilities: ModelTraits): ToolFields {
  const { toolChoice, parallelToolCalls } = request;
  const tools = wireTools(request, capabilities);
  const answer = answerTool(request, model);
  // If the client has tools, the model must be able to call them before the answer tool.
  const forceAnswer = answer && (tools.length === 0 || toolChoice?.type === 'none');
  const choice: MessagesToolChoiceParam | undefined = forceAnswer
    ? { type: 'tool', name: answer.name }
    : wireChoice(toolChoice, parallelToolCalls);
  if (answer) tools.push(answer);
  if (tools.length === 0) return {};
  return { tools, tool_choice: choice };
}

function outputConfig(
  { output }: GenerateRequest,
  capabilities: ModelTraits,
  effort: Thinking['effort'],
  extension: unknown,
): MessagesOutputConfigParam | undefined {
  const config: MessagesOutputConfigParam = {
    effort,
    format:
      output?.type === 'schema' && capabilities.schema
        ? { type: 'json_schema', schema: output.schema }
        : undefined,
  };
  if (!config.format && !effort) return undefined;
  return { ...membersOf(extension), ...withoutUndefined(config) };
}

const unsampled = { temperature: undefined, topP: undefined, topK: undefined };

/** Returns sampling that models accept: either temperature or top_p, and a temperature of at most 1. */
function sampling({ temperature, topP, topK }: GenerateRequest) {
  return temperature === undefined
    ? { temperature, topP, topK }
    : { temperature: Math.min(temperature, 1), topP: undefined, topK };
}

/** The largest number of cache breakpoints that an upstream accepts. */
const maxBreakpoints = 4;

type Item = MessagesToolParam | MessagesBlockParam;

/** Removes the earliest cache breakpoints of a prompt if there are too many. `prompt` is in prompt order. */
function limitBreakpoints(prompt: readonly Item[]): void {
  const cached = prompt.flatMap(withContent).filter(isCached);
  for (const item of cached.slice(0, -maxBreakpoints)) delete item.cache_control;
}

function isCached(item: Item): item is Item & { cache_control?: MessagesCacheControl } {
  return 'cache_control' in item && Boolean(item.cache_control);
}

/** Returns a block after the blocks of its content, which tool results have. */
function withContent(item: Item): Item[] {
  return 'content' in item && Array.isArray(item.content) ? [...item.content, item] : [item];
}

/** The thinking fields of a request body. */
export interface Thinking {
  thinking?: MessagesThinkingParam;
  effort?: MessagesEffort;
}

/** The smallest budget that upstreams accept, in tokens. */
const minBudget = 1_024;

export interface ThinkingContext {
  capabilities: ModelTraits;
  maxTokens: number;
  /** True if the model must call a tool. */
  forced: boolean;
  turns: readonly LoopTurn[];
}

/** Encodes reasoning settings for a model; returns `{}` if the request has none. */
export function thinking(reasoning: Reasoning | undefined, context: ThinkingContext): Thinking {
  if (mustNotThink(context)) return { thinking: { type: 'disabled' } };
  if (!reasoning) return {};
  switch (context.capabilities.thinking) {
    case 'none':
      return {};
    case 'budget':
      return byBudget(reasoning, context);
    case 'adaptive':
      return adaptive(reasoning, context);
  }
}

function byBudget(
  reasoning: Reasoning,
  { capabilities, maxTokens, forced, turns }: ThinkingContext,
): Thinking {
  const { effort = reasoning.adaptive ? 'medium' : undefined } = reasoning;
  const requested = budgetOf({ ...reasoning, effort }) ?? 0;
  if (capabilities.thinksByDefault && effortOf(reasoning) === 'none')
    return { thinking: { type: 'disabled' } };
  if (requested <= 0 || maxTokens <= minBudget || forced || !beginsLoopWithThinking(turns)) return {};
  // A budget of all tokens would leave none for the answer.
  const most = Math.max(minBudget, Math.floor(maxTokens * 0.75));
  const budget = Math.min(Math.max(requested, minBudget), most);
  return {
    thinking: { type: 'enabled', budget_tokens: budget, display: hiddenIf(reasoning.show === false) },
  };
}

/** Requests thinking without text, for clients that drop it: upstreams refuse thinking that lost its text. */
function hiddenIf(dropped: boolean): 'omitted' | undefined {
  return dropped ? 'omitted' : undefined;
}

function adaptive(reasoning: Reasoning, { capabilities, forced }: ThinkingContext): Thinking {
  const { show } = reasoning;
  const effort = effortOf(reasoning);
  const level: Thinking = { effort: effort && nearest(effort, messagesEfforts) };
  if (effort === 'none') return capabilities.supportsThinkingOff ? { thinking: { type: 'disabled' } } : level;
  const enabled = effort !== undefined || reasoning.adaptive || show;
  if (forced || !enabled) return level;
  // These models omit the text of their thinking by default.
  const display = show ? 'summarized' : hiddenIf(show === false);
  return { ...level, thinking: { type: 'adaptive', display } };
}

/** True if a model would refuse a history because calls of it have lost the thinking before them. */
function mustNotThink({ capabilities, turns }: Pick<ThinkingContext, 'capabilities' | 'turns'>): boolean {
  return capabilities.callsNeedThinking === true && !turns.every(thinksBeforeCalls);
}

/** True if the last assistant turn has no tool calls or starts with thinking, as models with a budget require. */
function beginsLoopWithThinking(turns: readonly LoopTurn[]): boolean {
  const last = turns.findLast(({ role }) => role === 'assistant');
  return !last || thinksBeforeCalls(last);
}

function thinksBeforeCalls({ content }: LoopTurn): boolean {
  if (typeof content === 'string' || !content.some(({ type }) => type === 'tool_use')) return true;
  return /^(redacted_)?thinking$/.test(content[0]?.type ?? '');
}

interface LoopTurn {
  role: string;
  content: string | readonly { type: string }[];
}
