import {
  type Edit,
  type Envelope,
  type GenerateRequest,
  memberText,
  parseExact,
  spliceTopLevel,
} from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { JsonBody } from '../own-text.ts';
import { checkToolChoice } from '../unsupported.ts';
import { conversation } from './encode-conversation.ts';
import { refuse } from './encode-media.ts';
import { beginsLoopWithThinking, thinking } from './encode-thinking.ts';
import { answerTool, isForced, type WireTool, wireChoice, wireTools } from './encode-tools.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import { userId } from './names.ts';
import { type OwnTurn, sanitizeHistory } from './sanitize-history.ts';

/** The version that takes the fields of clients old and new. */
const defaultVersion = '2023-06-01';
/** What an answer may hold where nobody says: all models can. */
const defaultMaxTokens = 4_096;
const jsonOnly = 'Answer with one valid JSON object and nothing else: no explanation, no code fence.';

/** Sends the client's own text on, or says in this format what it asked for in another. */
export function encode(input: EncodeInput): UpstreamRequest {
  const { envelope, text, request } = input;
  const counts = envelope.operation === 'count-tokens';
  return {
    path: counts ? '/v1/messages/count_tokens' : '/v1/messages',
    body: request ? new JsonBody(body(input, request)) : splice(text ?? noText, input),
    headers: ownHeaders(envelope),
  };
}

const noText = Buffer.from('{}');

/** The fields of which the vendor counts tokens; it refuses others. */
const counted = ['model', 'system', 'messages', 'tools', 'tool_choice', 'thinking', 'output_config'];

function body(input: EncodeInput, request: GenerateRequest): Record<string, unknown> {
  const translated = translate(input, request);
  if (input.envelope.operation !== 'count-tokens') return translated;
  return Object.fromEntries(Object.entries(translated).filter(([field]) => counted.includes(field)));
}

function splice(text: Buffer, { envelope, model, drop }: EncodeInput): Buffer {
  const edits = new Map<string, Edit>([
    ...(envelope.foreign ? historyEdits(text) : []),
    ...drop.map((field): [string, Edit] => [field, null]),
  ]);
  edits.set('model', JSON.stringify(model));
  return spliceTopLevel(text, edits);
}

/** Takes out of the client's own text what another vendor made. */
function historyEdits(text: Buffer): [string, Edit][] {
  const turns = sanitizeHistory(parseExact(memberText(text, 'messages') ?? '[]') as OwnTurn[]);
  const history: [string, Edit] = ['messages', JSON.stringify(turns)];
  return beginsLoopWithThinking(turns) ? [history] : [history, ['thinking', unlessByBudget]];
}

/** A model that thinks by budget would refuse what has lost the thoughts before its calls. */
function unlessByBudget(thinking: string | undefined): string | null {
  if (thinking === undefined || JSON.parse(thinking)?.type === 'enabled') return null;
  return thinking;
}

function ownHeaders({ headers }: Envelope): Record<string, string> {
  const beta = headers['anthropic-beta'];
  return {
    'anthropic-version': headers['anthropic-version'] ?? defaultVersion,
    ...(beta && { 'anthropic-beta': beta }),
  };
}

function translate(input: EncodeInput, request: GenerateRequest): Record<string, unknown> {
  const { envelope, model, drop, limits } = input;
  rejectUnsupported(request);
  checkToolChoice(request);
  const capabilities = modelTraits(model);
  // A chat may begin with anything, so its client cannot be told to begin with the user.
  const { system, turns } = conversation(request.messages, envelope.format === 'chat' ? '.' : undefined);
  if (request.output?.type === 'json') system.push({ type: 'text', text: jsonOnly });
  const maxTokens = request.maxTokens ?? limits.maxOutput ?? defaultMaxTokens;
  const choosing = toolFields(request, model, capabilities);
  const forced = isForced(choosing.tool_choice);
  const thought = thinking(request.reasoning, { capabilities, maxTokens, forced, turns });
  const thinks = thought.thinking !== undefined && thought.thinking.type !== 'disabled';
  const stop = request.stop?.filter(sequence => sequence.trim() !== '') ?? [];
  const tier = serviceTier(request.serviceTier);
  limitMarks([...(choosing.tools ?? []), ...system, ...turns.flatMap(({ content }) => content)]);
  const own = request.extensions?.messages ?? {};
  const body: Record<string, unknown> = {
    ...own,
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    ...choosing,
    messages: turns,
    ...(thought.thinking && { thinking: thought.thinking }),
    ...outputConfig(request, capabilities, thought.effort, own.output_config),
    ...(capabilities.sampling && !thinks && sampling(request)),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(request.user && { metadata: { ...fields(own.metadata), user_id: userId(request.user) } }),
    ...(tier && { service_tier: tier }),
    stream: true,
  };
  for (const field of drop) delete body[field];
  return body;
}

/** What an answer in this format could not be true to; hints that it cannot carry are left out. */
function rejectUnsupported(request: GenerateRequest): void {
  const { n = 1, maxTokens = 1, logprobs, logitBias = {}, modalities = [], output } = request;
  if (maxTokens < 1)
    refuse('max_completion_tokens', `Invalid 'max_completion_tokens': ${maxTokens} is less than 1.`);
  if (output?.type === 'schema' && !isObjectSchema(output.schema))
    refuse('response_format', "Invalid 'response_format': this model takes a schema of an object only.");
  if (n > 1) refuse('n', `Invalid 'n': this model gives one answer, not ${n}.`);
  if (logprobs) refuse('logprobs', "Invalid 'logprobs': this model tells no log probabilities.");
  if (Object.keys(logitBias).length > 0) refuse('logit_bias', "Invalid 'logit_bias': this model takes none.");
  const other = modalities.find(modality => modality !== 'text');
  if (other) refuse('modalities', `Invalid 'modalities': this model answers with text, not with ${other}.`);
}

/** Whether a schema, as far as its root says, is met by objects. */
function isObjectSchema({ type = 'object' }: Record<string, unknown>): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

interface ToolFields {
  tools?: WireTool[];
  tool_choice?: Record<string, unknown>;
}

function toolFields(request: GenerateRequest, model: string, capabilities: ModelTraits): ToolFields {
  const { toolChoice, parallelToolCalls } = request;
  const tools = wireTools(request, capabilities);
  const answer = answerTool(request, model);
  // With tools of its own the client still wants them called: the model chooses when to answer.
  const forceAnswer = answer && (tools.length === 0 || toolChoice?.type === 'none');
  const choice = forceAnswer
    ? { type: 'tool', name: answer.name }
    : wireChoice(toolChoice, parallelToolCalls);
  if (answer) tools.push(answer);
  if (tools.length === 0) return {};
  return { tools, ...(choice && { tool_choice: choice }) };
}

function outputConfig(
  { output }: GenerateRequest,
  capabilities: ModelTraits,
  effort: string | undefined,
  own: unknown,
): Record<string, unknown> {
  const format =
    output?.type === 'schema' && capabilities.schema
      ? { type: 'json_schema', schema: output.schema }
      : undefined;
  if (!format && !effort) return {};
  return { output_config: { ...fields(own), ...(effort && { effort }), ...(format && { format }) } };
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The models that can be told take one of temperature and top_p, and a temperature of 1 at most. */
function sampling({ temperature, topP, topK }: GenerateRequest): Record<string, unknown> {
  return {
    ...(temperature !== undefined && { temperature: Math.min(temperature, 1) }),
    ...(topP !== undefined && temperature === undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

/** The vendor has better service, where paid for, and the standard one. */
function serviceTier(tier: string | undefined): string | undefined {
  switch (tier) {
    case 'auto':
    case 'priority':
      return 'auto';
    case 'default':
    case 'flex':
    case 'standard_only':
      return 'standard_only';
    default:
      return undefined;
  }
}

/** The most marks that an upstream takes. */
const maxMarks = 4;

/** What may bear a mark: tools and blocks, a tool result's own blocks among them. */
interface Marked {
  cache_control?: unknown;
  content?: unknown;
}

/** Takes away the earliest marks of a prompt, given in its order, where there are too many. */
function limitMarks(prompt: Marked[]): void {
  const marked = prompt.flatMap(withContent).filter(block => block.cache_control);
  for (const block of marked.slice(0, -maxMarks)) delete block.cache_control;
}

function withContent(block: Marked): Marked[] {
  return Array.isArray(block.content) ? [...block.content, block] : [block];
}
