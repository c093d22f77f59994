import { isDeepStrictEqual } from 'node:util';
import type { GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { type Edit, memberText, parseExact, spliceTopLevel, topLevelSpans } from '@model-gateway/json';
import { type ThinkingControl, thinkingControl } from '@model-gateway/providers';
import type { CanonicalInput, GenerateInput, UpstreamRequest, VerbatimInput } from '../upstream/dialect.ts';
import { sentThinking } from '../upstream/effort.ts';
import {
  checkToolChoice,
  hints,
  type JsonBody,
  membersOf,
  nativeEdits,
  refuseVendorFields,
  unsupported,
  writtenBody,
} from '../upstream/request-body.ts';
import { sentCallId } from '../upstream/tools.ts';
import { encodeMessages } from './encode-messages.ts';
import { effortWish, type ThinkingWish, thinkingFields, thinkingWish } from './reasoning.ts';
import type { ChatRequestParams } from './request.ts';
import { sanitizeHistory, withCallIds, withReasoning } from './sanitize-history.ts';
import { writeFields } from './write.ts';

export function encode(input: GenerateInput): UpstreamRequest {
  return { path: '/chat/completions', body: input.body === 'verbatim' ? splice(input) : translate(input) };
}

/** Returns the client's JSON with the upstream's model, without the fields that the model does not accept. */
function splice(input: VerbatimInput): Buffer {
  const { envelope, text } = input;
  const edits = nativeEdits(input);
  const thinking = thinkingEdits(input);
  for (const [field, edit] of thinking.edits) if (!edits.has(field)) edits.set(field, edit);
  const messages = editedMessages(input, thinking.turns);
  if (messages) edits.set('messages', messages);
  // Without it a stream reports no usage, and the request could not be billed.
  if (envelope.stream && !edits.has('stream_options')) edits.set('stream_options', withUsage);
  return spliceTopLevel(text, edits);
}

/** Edits a client's `stream_options`, so that the stream ends with its usage. */
export function withUsage(current: string | undefined): string {
  return JSON.stringify({ ...(current && JSON.parse(current)), include_usage: true });
}

/**
 * Returns the client's messages without signatures of other vendors, and with ids and fields that the upstream accepts;
 * undefined if nothing needs a change.
 */
function editedMessages(
  { envelope, text, model, differences }: VerbatimInput,
  reasoned: ThinkingEdits['turns'],
): string | undefined {
  const hasIds = differences?.callIds && text.includes('"tool_call');
  const hasReasoning = differences?.reasoning === null && text.includes('"reasoning_content"');
  const mustEdit = envelope.foreign || hasIds || hasReasoning;
  const mayLack = reasoned && text.includes(reasoned === 'calls' ? '"tool_calls"' : '"assistant"');
  if (!mustEdit && !mayLack) return undefined;
  const given = parseExact(memberText(text, 'messages') ?? '[]') as Record<string, unknown>[];
  const sent = mayLack ? withReasoning(given, reasoned) : given;
  if (!mustEdit && sent === given) return undefined;
  const allowed = envelope.foreign ? sanitizeHistory(sent, isGoogle(model)) : sent;
  const messages = hasReasoning ? allowed.map(({ reasoning_content: _, ...message }) => message) : allowed;
  return JSON.stringify(hasIds ? withCallIds(messages, sentCallId(differences)) : messages);
}

function translate(input: CanonicalInput): JsonBody {
  const { model, request } = input;
  const streaming: Streaming = { stream: true, stream_options: { include_usage: true } };
  const extensions = request.extensions?.chat;
  const continuation = request.continuesLastTurn ? input.differences?.continuation?.request : undefined;
  const fields = { ...extensions, ...encodeRequest(input), ...encodeThinking(input) };
  return writtenBody(input, { model, ...fields, ...streaming, ...continuation });
}

type Streaming = Pick<ChatRequestParams, 'stream' | 'stream_options'>;

/** True if the client requests the usage at the end of the stream. */
export function requestsUsage(body: Buffer): boolean {
  const options = memberText(body, 'stream_options');
  return options !== undefined && JSON.parse(options)?.include_usage === true;
}

/** Returns the number of choices that a client's JSON requests. */
export function requestedChoices(body: Buffer): number {
  return JSON.parse(memberText(body, 'n') ?? '1') ?? 1;
}

/** The largest number of stop sequences that the format accepts. */
const maxStop = 4;

/** Encodes the body without `model` and the stream fields. Undefined fields are not sent. */
function encodeRequest(input: CanonicalInput): Partial<ChatRequestParams> {
  const { request, model, original = false, prefill = false, differences, limits } = input;
  const { maxTokens, verbosity } = request;
  const stop = request.stop?.filter(sequence => sequence !== '') ?? [];
  refuseVendorFields(request, 'chat');
  refuseUnsupported(request, stop);
  checkToolChoice(request);
  const sent: GenerateRequest = {
    ...request,
    stop,
    maxTokens: maxTokens && Math.min(maxTokens, limits.maxOutput ?? maxTokens),
    // Compatible upstreams may not know it.
    verbosity: original ? verbosity : undefined,
    // The fields about thinking differ by server.
    reasoning: undefined,
  };
  const options = { original, prefill, signed: isGoogle(model), differences };
  const messages = encodeMessages(request, { ...options, reasonedTurns: reasonedTurns(input) });
  return {
    ...writeFields(sent, messages, original),
    ...hints(request, original),
  };
}

function refuseUnsupported({ logprobs }: GenerateRequest, stop: readonly string[]): void {
  // Parts of a response cannot hold them.
  if (logprobs) throw unsupported('logprobs', 'log probabilities are not available for a translated request');
  if (stop.length > maxStop)
    throw unsupported('stop', `this model takes at most ${maxStop} stop sequences, but got ${stop.length}`);
}

/** True for Google's models, which require their signatures. */
export function isGoogle(model: string): boolean {
  return /gemini/i.test(model);
}

type Fields = Readonly<Record<string, unknown>>;
type Turns = ThinkingControl['reasonedTurns'];

/** Returns the fields about thinking of a translated request. */
export function encodeThinking({ request, model, differences }: CanonicalInput): Fields {
  if (!request.reasoning) return {};
  const own: Fields = request.extensions?.chat ?? {};
  const { show: _, ...wish } = request.reasoning;
  const control = thinkingControl(differences, model);
  // A server without a control is told in the client's own fields.
  if (!control && isDeepStrictEqual(thinkingWish(own), wish)) return {};
  const { level, fields = {} } = sentThinking(wish, control);
  return { reasoning_effort: level, ...merged(fields, own, turnsOff(wish)) };
}

/** Returns the turns of a translated request that must have reasoning: none if thinking is off. */
export function reasonedTurns({ request, model, differences }: CanonicalInput): Turns {
  return turnsOf(thinkingControl(differences, model), request.reasoning);
}

function turnsOf(control: ThinkingControl | undefined, wish: Reasoning | undefined): Turns {
  return wish && turnsOff(wish) && control?.off !== null ? undefined : control?.reasonedTurns;
}

function turnsOff({ effort, budget }: Reasoning): boolean {
  return effort === 'none' || (!effort && budget === 0);
}

/** The edits of a client's own JSON, and the turns of its history that must have reasoning. */
interface ThinkingEdits {
  edits: ReadonlyMap<string, Edit>;
  turns: Turns;
}

const unedited: ThinkingEdits = { edits: new Map(), turns: undefined };

/**
 * Returns the edits that say a client's wish in the fields of the upstream. A level that the upstream has a field for stays as it is,
 * known or not: the upstream decides.
 */
export function thinkingEdits({ text, model, original, differences }: VerbatimInput): ThinkingEdits {
  const control = original ? undefined : thinkingControl(differences, model);
  if (!control) return unedited;
  const own = ownFields(text);
  const wish = thinkingWish(own);
  const edits = wish ? editsOf(own, wish, control) : unedited.edits;
  return { edits, turns: turnsOf(control, wish) };
}

/** Returns the fields about thinking that a client's JSON has. */
function ownFields(text: Buffer): Record<string, unknown> {
  const names: readonly string[] = thinkingFields.filter(name => text.includes(`"${name}"`));
  if (names.length === 0) return {};
  const spans = topLevelSpans(text.toString('latin1')).filter(({ key }) => names.includes(key));
  return Object.fromEntries(
    spans.map(({ key, valueStart, valueEnd }) => [
      key,
      JSON.parse(text.toString('utf8', valueStart, valueEnd)),
    ]),
  );
}

function editsOf(own: Fields, wish: ThinkingWish, control: ThinkingControl): Map<string, Edit> {
  const { reasoning_effort: level, ...others } = own;
  const isOff = wish.effort === 'none';
  // Thinking that is on in another field than the level is said in the client's own words.
  if (!isOff && !effortWish(level)?.effort) return new Map();
  const { level: sent, fields = {} } = sentThinking(wish, control);
  const replaced = isOff || (sent === undefined && Object.keys(fields).length > 0);
  const all: Fields = { reasoning_effort: replaced ? sent : level, ...merged(fields, others, isOff) };
  const changed = Object.entries(all).filter(([field, value]) => !isDeepStrictEqual(value, own[field]));
  return new Map(
    changed.map(([field, value]): [string, Edit] => [
      field,
      value === undefined ? null : JSON.stringify(value),
    ]),
  );
}

/** Returns fields with the members of the client's own objects, which count more unless thinking is turned off. */
function merged(fields: Fields, own: Fields, isOff: boolean): Fields {
  const entries = Object.entries(fields).map(([field, value]) => {
    const given = own[field];
    if (typeof given !== 'object' || given === null) return [field, isOff ? value : (given ?? value)];
    return [field, isOff ? { ...given, ...membersOf(value) } : { ...membersOf(value), ...given }];
  });
  return Object.fromEntries(entries);
}
