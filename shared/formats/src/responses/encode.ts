import type { GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { type Edit, memberText, parseExact, spliceTopLevel } from '@model-gateway/json';
import { thinkingControl } from '@model-gateway/providers';
import type {
  CanonicalInput,
  GenerateInput,
  InputFacts,
  UpstreamRequest,
  VerbatimInput,
} from '../upstream/dialect.ts';
import { sentThinking } from '../upstream/effort.ts';
import {
  checkToolChoice,
  hints,
  type JsonBody,
  membersOf,
  refuseVendorFields,
  unsupported,
  withoutUndefined,
  writtenBody,
} from '../upstream/request-body.ts';
import { checkStops } from '../upstream/stop-cut.ts';
import { encodeInput } from './encode-input.ts';
import type { ResponsesRequestParams } from './request.ts';
import { sanitizeHistory } from './sanitize-history.ts';
import { writeFields } from './write.ts';

/** The `include` value that requests reasoning the client can send back, because the upstream stores none. */
const encryptedReasoning = 'reasoning.encrypted_content';

/** Fields about stored state, which the upstream must not keep. */
const stateful = ['previous_response_id', 'conversation', 'background'];

/** Writes a request: the client's text if it has this format, otherwise a translation. */
export function encode(input: GenerateInput): UpstreamRequest {
  if (input.envelope.operation === 'count-tokens')
    return {
      path: '/responses/input_tokens',
      body: input.body === 'verbatim' ? spliceCount(input) : count(input),
    };
  return { path: '/responses', body: input.body === 'verbatim' ? splice(input) : translate(input) };
}

function spliceCount(input: VerbatimInput): Buffer {
  return spliceTopLevel(input.text, commonEdits(input));
}

function splice(input: VerbatimInput): Buffer {
  const { envelope, drop, original = false, model, text } = input;
  const edits = new Map<string, Edit>([
    ['store', 'false'],
    ['stream', streamAs(envelope.stream)],
  ]);
  // A client that relies on storage does not request encrypted reasoning, but its history needs it.
  if (original && mayReason(model) && memberText(text, 'store') !== 'false')
    edits.set('include', withEncryptedReasoning);
  if (!original) for (const [field, edit] of thinkingEdits(input)) edits.set(field, edit);
  for (const field of drop) edits.set(field, null);
  for (const [field, edit] of commonEdits(input)) edits.set(field, edit);
  return spliceTopLevel(text, edits);
}

/** Returns the edits of every verbatim request. */
function commonEdits({ envelope, model, text }: VerbatimInput): Map<string, Edit> {
  const edits = new Map<string, Edit>(stateful.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  if (envelope.foreign) edits.set('input', sanitizedInput(text));
  return edits;
}

/** Returns the client's input without other vendors' reasoning. A plain text stays unchanged. */
function sanitizedInput(text: Buffer): string {
  const input = parseExact(memberText(text, 'input') ?? '[]');
  return JSON.stringify(Array.isArray(input) ? sanitizeHistory(input) : input);
}

/** Sets `stream` to the envelope's value, which the text may lack or contradict. */
function streamAs(stream: boolean): Edit {
  return current => ((current === 'true') === stream ? (current ?? null) : String(stream));
}

function withEncryptedReasoning(current = '[]'): string {
  const value: unknown = JSON.parse(current);
  const include = Array.isArray(value) ? value : [];
  return include.includes(encryptedReasoning) ? current : JSON.stringify([...include, encryptedReasoning]);
}

/** The fields of a token count request. */
const counted = ['model', 'input', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'];

function count(input: CanonicalInput): JsonBody {
  const { extensions } = input.request;
  const fields = { ...extensions?.responses, ...encodeRequest(input), model: input.model };
  const kept = Object.entries(fields).filter(([field]) => counted.includes(field));
  return writtenBody(input, Object.fromEntries(kept));
}

function translate(input: CanonicalInput): JsonBody {
  const { request, model, drop } = input;
  const settings: Settings = {
    model,
    include: mayReason(model) ? [encryptedReasoning] : undefined,
    store: false,
    stream: true,
  };
  return writtenBody(
    { drop: [...stateful, ...drop] },
    { ...request.extensions?.responses, ...encodeRequest(input), ...withoutUndefined(settings) },
  );
}

type Settings = Pick<ResponsesRequestParams, 'model' | 'include' | 'store' | 'stream'>;

/** Writes the body's fields without the model, storage and streaming. Undefined fields are not sent. */
function encodeRequest(input: CanonicalInput): Omit<ResponsesRequestParams, 'model'> {
  const { request, original = false, limits } = input;
  refuseVendorFields(request, 'responses');
  rejectUnsupported(request);
  checkToolChoice(request);
  const { maxTokens, verbosity } = request;
  const sent: GenerateRequest = {
    ...request,
    maxTokens: maxTokens && Math.min(maxTokens, limits.maxOutput ?? maxTokens),
    // A hint that compatible upstreams may not support.
    verbosity: original ? verbosity : undefined,
  };
  return {
    ...writeFields(sent, encodeInput(request), original),
    ...encodeThinking(request.reasoning, input),
    ...hints(request, original),
  };
}

/** Refuses fields that would change the response. Unsupported hints are left out instead. */
function rejectUnsupported(request: GenerateRequest): void {
  const { n = 1, logprobs, logitBias = {}, modalities = [] } = request;
  if (n > 1) throw unsupported('n', `this model supports only one choice, but got ${n}`);
  // The gateway's parts have no field for log probabilities.
  if (logprobs) throw unsupported('logprobs', 'log probabilities are not available for a translated request');
  if (Object.keys(logitBias).length > 0) throw unsupported('logitBias', 'this model does not support it');
  checkStops(request.stop);
  const other = modalities.find(modality => modality.toLowerCase() !== 'text');
  if (other) throw unsupported('modalities', `this model outputs only text, not ${other}`);
}

/** Models without reasoning, which refuse a request for it. */
const withoutReasoning = /(?:^|\/)(?:gpt-[34]|chatgpt-|gpt-5-chat)/;

/** True if a model supports encrypted reasoning. */
function mayReason(model: string): boolean {
  return !withoutReasoning.test(model);
}

/** Writes the reasoning settings. The vendor returns only a summary, and only on request. */
export function encodeThinking(
  wish: Reasoning | undefined,
  { model, differences }: Pick<InputFacts, 'model' | 'differences'>,
): Pick<ResponsesRequestParams, 'reasoning'> {
  if (!wish) return {};
  const { level, fields, never } = sentThinking(wish, thinkingControl(differences, model));
  if (never) return {};
  // Formats with a token budget return the reasoning by default.
  const { show = wish.budget !== undefined } = wish;
  const isOff = wish.effort === 'none' || wish.budget === 0;
  const summary = show && !isOff ? ('auto' as const) : undefined;
  return { ...fields, ...((level || summary) && { reasoning: { effort: level, summary } }) };
}

/** Returns the edits that turn thinking off at an upstream which has another way than the level `none`. */
export function thinkingEdits({ text, model, differences }: VerbatimInput): [string, Edit][] {
  const control = thinkingControl(differences, model);
  if (!control || control.off === 'none' || !text.includes('"none"')) return [];
  const reasoning = membersOf(JSON.parse(memberText(text, 'reasoning') ?? 'null'));
  if (reasoning.effort !== 'none') return [];
  const { level, fields = {} } = sentThinking({ effort: 'none' }, control);
  const rest = { ...reasoning, effort: level };
  const kept = Object.values(rest).some(value => value !== undefined && value !== null);
  const edited = kept ? JSON.stringify(rest) : null;
  const others = Object.entries(fields).map(([field, value]): [string, Edit] => [
    field,
    JSON.stringify(value),
  ]);
  return [['reasoning', edited], ...others];
}
