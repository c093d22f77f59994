import type { GenerateRequest } from '@model-gateway/canonical';
import { memberText, parseExact, spliceTopLevel } from '@model-gateway/json';
import type { CanonicalInput, GenerateInput, UpstreamRequest, VerbatimInput } from '../upstream/dialect.ts';
import { hints } from '../upstream/encode-openai-hints.ts';
import { type JsonBody, nativeEdits, writtenBody } from '../upstream/request-body.ts';
import { sentCallId } from '../upstream/tools.ts';
import { checkToolChoice, refuseVendorFields, unsupported } from '../upstream/unsupported.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeThinking, reasonedTurns, type ThinkingEdits, thinkingEdits } from './encode-thinking.ts';
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
