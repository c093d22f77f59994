import {
  type Edit,
  GatewayError,
  type GenerateRequest,
  memberText,
  type Output,
  parseExact,
  type Reasoning,
  spliceTopLevel,
} from '@model-gateway/canonical';
import type { ResponsesFormat } from '@model-gateway/wire';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { effortOf } from '../effort.ts';
import { hints } from '../openai-hints.ts';
import { JsonBody } from '../own-text.ts';
import { checkToolChoice, refuseOwnWork, unsupported } from '../unsupported.ts';
import { encodeInput } from './encode-input.ts';
import { encodeTools } from './encode-tools.ts';
import { sanitizeHistory } from './sanitize-history.ts';

/** Asks for reasoning in a form that can be sent back, since the upstream keeps none. */
const reasoningProof = 'reasoning.encrypted_content';

/** What speaks of state that the upstream is not to keep. */
const stateful = ['previous_response_id', 'conversation', 'background'];

/** Sends the client's own text on, or says in this format what it asked for in another. */
export function encode(input: EncodeInput): UpstreamRequest {
  const { envelope, text, request } = input;
  if (text && envelope.operation === 'count-tokens')
    return { path: '/responses/input_tokens', body: spliceTopLevel(text, commonEdits(input, text)) };
  if (text) return { path: '/responses', body: splice(input, text) };
  if (request && envelope.operation === 'count-tokens')
    return { path: '/responses/input_tokens', body: count(input, request) };
  if (request) return { path: '/responses', body: translate(input, request) };
  throw new GatewayError('internal', 'The call holds no request.');
}

function splice(input: EncodeInput, text: Buffer): Buffer {
  const { envelope, drop, original = false, model } = input;
  const edits = new Map<string, Edit>([
    ['store', 'false'],
    ['stream', streamAs(envelope.stream)],
  ]);
  // A client that counts on what is stored sends its history back without what it did not ask for.
  if (original && mayReason(model) && memberText(text, 'store') !== 'false') edits.set('include', withProof);
  for (const field of drop) edits.set(field, null);
  for (const [field, edit] of commonEdits(input, text)) edits.set(field, edit);
  return spliceTopLevel(text, edits);
}

/** What changes in every text of a client's own. */
function commonEdits({ envelope, model }: EncodeInput, text: Buffer): Map<string, Edit> {
  const edits = new Map<string, Edit>(stateful.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  if (envelope.foreign) edits.set('input', ownInput(text));
  return edits;
}

/** The client's own history, without what another vendor made; a text is no history. */
function ownInput(text: Buffer): string {
  const input = parseExact(memberText(text, 'input') ?? '[]');
  return JSON.stringify(Array.isArray(input) ? sanitizeHistory(input) : input);
}

/** As it was asked, which the text may say elsewhere, or not at all. */
function streamAs(stream: boolean): Edit {
  return current => ((current === 'true') === stream ? (current ?? null) : String(stream));
}

function withProof(current = '[]'): string {
  const asked: unknown = JSON.parse(current);
  const include = Array.isArray(asked) ? asked : [];
  return include.includes(reasoningProof) ? current : JSON.stringify([...include, reasoningProof]);
}

/** The fields of which the vendor counts tokens. */
const counted = ['model', 'input', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'];

function count(input: EncodeInput, request: GenerateRequest): JsonBody {
  const fields = Object.entries({ ...encodeRequest(request, input), model: input.model });
  const kept = fields.filter(([field]) => counted.includes(field) && !input.drop.includes(field));
  return new JsonBody(Object.fromEntries(kept));
}

function translate(input: EncodeInput, request: GenerateRequest): JsonBody {
  const body: Record<string, unknown> = {
    ...encodeRequest(request, input),
    model: input.model,
    ...(mayReason(input.model) && { include: [reasoningProof] }),
    store: false,
    stream: true,
  };
  for (const field of [...stateful, ...input.drop]) delete body[field];
  return new JsonBody(body);
}

/** The body's fields, the model and those of the stream aside; undefined is not sent. */
export function encodeRequest(request: GenerateRequest, input: EncodeInput): Record<string, unknown> {
  const { envelope, original = false, limits } = input;
  refuseOwnWork(request);
  rejectUnsupported(request);
  checkToolChoice(request);
  const { maxTokens, extensions } = request;
  return {
    ...extensions?.responses,
    input: encodeInput(request, envelope.format === 'messages'),
    ...encodeTools(request, original),
    max_output_tokens:
      maxTokens === undefined ? undefined : Math.min(maxTokens, limits.maxOutput ?? maxTokens),
    temperature: request.temperature,
    top_p: request.topP,
    reasoning: request.reasoning && encodeReasoning(request.reasoning),
    text: encodeText(request, original),
    metadata: request.metadata,
    prompt_cache_key: extensions?.chat?.prompt_cache_key,
    ...hints(request, original),
  };
}

/** What an answer in this format could not be true to; hints that it cannot carry are left out. */
function rejectUnsupported(request: GenerateRequest): void {
  const { n = 1, logprobs, logitBias = {}, modalities = [] } = request;
  if (n > 1) throw unsupported('n', `this model gives one answer, not ${n}`);
  // Parts of an answer have no place for them.
  if (logprobs) throw unsupported('logprobs', 'log probabilities cannot be had in translation');
  if (Object.keys(logitBias).length > 0) throw unsupported('logit_bias', 'this model takes none');
  const other = modalities.find(modality => modality.toLowerCase() !== 'text');
  if (other) throw unsupported('modalities', `this model answers with text, not with ${other}`);
}

/** A summary is all that the vendor shows of its reasoning, and that only if asked. */
function encodeReasoning(reasoning: Reasoning): Record<string, unknown> | undefined {
  const effort = effortOf(reasoning);
  // Who names a number of tokens is used to see what they were spent on.
  const { show = reasoning.budget !== undefined } = reasoning;
  const summary = show && effort !== 'none' ? 'auto' : undefined;
  return effort || summary ? { effort, summary } : undefined;
}

/** The verbosity is a hint that compatible upstreams need not know. */
function encodeText(
  { output, verbosity: asked }: GenerateRequest,
  original: boolean,
): Record<string, unknown> | undefined {
  const format = output && encodeFormat(output);
  const verbosity = original ? asked : undefined;
  return format || verbosity ? { format, verbosity } : undefined;
}

/** Plain text is the default and need not be said. */
function encodeFormat(output: Output): ResponsesFormat | undefined {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json':
      return { type: 'json_object' };
    case 'schema': {
      const { schema, name = 'response', strict } = output;
      return { type: 'json_schema', name, schema, strict };
    }
  }
}

/** The models that have no reasoning of their own to give away, and refuse to be asked for it. */
const plain = /(?:^|\/)(?:gpt-[34]|chatgpt-|gpt-5-chat)/;

/** Whether a model can be asked for its reasoning in a form that it can read again. */
export function mayReason(model: string): boolean {
  return !plain.test(model);
}
