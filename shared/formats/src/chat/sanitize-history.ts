import { withArgumentsText } from '@model-gateway/json';
import { mendedDataUrl, withoutLineEnds } from '../values/media.ts';
import { mendEach, withFields } from '../values/mend.ts';
import { isForeignSignature, readSignedId } from '../values/signatures.ts';
import type { ChatRequest } from './request.ts';

type Fields = Record<string, unknown>;

/** True if a history holds what {@link sanitizeHistory} mends, though no client means it. A signature without a tag may be the upstream's own. */
export function isForeignHistory({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  return sanitizeHistory(messages, false) !== messages;
}

/**
 * Mends in a client's history what vendors refuse: signatures of other vendors, which are tagged or which a gateway stored
 * in ids, arguments that are no JSON text, null in place of content, and media in another form. All else stays
 * unchanged. `signed` is true for Google's models, which require their signatures.
 */
export function sanitizeHistory(messages: readonly Fields[], signed: boolean): readonly Fields[] {
  return mendEach(messages, message => {
    const { role, content, tool_call_id: id } = message;
    switch (role) {
      case 'assistant':
        return sanitizeTurn(message, signed);
      case 'tool':
        return withFields(message, {
          tool_call_id: typeof id === 'string' ? readSignedId(id).id : id,
          content: content === null ? '' : sanitizeContent(content),
        });
      default:
        return withFields(message, { content: sanitizeContent(content) });
    }
  });
}

function sanitizeTurn(turn: Fields, signed: boolean): Fields {
  const { content, thinking_blocks: blocks, tool_calls: calls, function_call: called } = turn;
  const allowed = Array.isArray(blocks) ? mendEach(blocks, allowedBlock) : undefined;
  return withFields(turn, {
    content: content === null && !hasOther(turn) ? '' : content,
    thinking_blocks: allowed !== blocks && allowed?.length === 0 ? undefined : (allowed ?? blocks),
    tool_calls: Array.isArray(calls) ? mendEach(calls, call => sanitizeCall(call, signed)) : calls,
    function_call: withArguments(called),
  });
}

/** True for a turn that needs no content. */
function hasOther({ tool_calls: calls, function_call: call, refusal, audio }: Fields): boolean {
  return (Array.isArray(calls) && calls.length > 0) || Boolean(call ?? refusal ?? audio);
}

/** Returns messages whose tool calls and results have the ids that `idOf` returns. */
export function withCallIds(messages: readonly Fields[], idOf: (id: string) => string): Fields[] {
  const changed = (id: unknown) => (typeof id === 'string' ? idOf(id) : id);
  return messages.map(message => ({
    ...message,
    ...('tool_call_id' in message && { tool_call_id: changed(message.tool_call_id) }),
    ...(Array.isArray(message.tool_calls) && {
      tool_calls: message.tool_calls.map((call: Fields | null) => call && { ...call, id: changed(call.id) }),
    }),
  }));
}

/**
 * Returns messages in which the assistant's turns, those with calls or all, have reasoning: an empty one if they had none; the same list if
 * every turn has it.
 */
export function withReasoning(messages: readonly Fields[], turns: 'calls' | 'all'): readonly Fields[] {
  const lacks = ({ role, tool_calls: calls, reasoning_content: reasoning }: Fields) =>
    role === 'assistant' &&
    typeof reasoning !== 'string' &&
    (turns === 'all' || (Array.isArray(calls) && calls.length > 0));
  if (!messages.some(lacks)) return messages;
  return messages.map(message =>
    lacks(message) ? { ...message, reasoning_content: message.reasoning ?? '' } : message,
  );
}

function allowedBlock(block: Fields | null): Fields | null | undefined {
  const isForeign =
    isForeignSignature(block?.signature, 'messages') || isForeignSignature(block?.data, 'messages');
  return isForeign ? undefined : block;
}

/** Moves a signature from the id to where Google's OpenAI-compatible API expects it, and mends the arguments. */
function sanitizeCall(call: Fields | null, signed: boolean): Fields | null {
  if (typeof call?.id !== 'string') return call;
  const { id, signature } = readSignedId(call.id);
  const extra = { google: { thought_signature: signature } };
  const sent = signed && signature ? { extra_content: extra, ...call } : call;
  return withFields(sent, { id, function: withArguments(call.function) });
}

function withArguments(called: unknown): unknown {
  return isFields(called) ? withArgumentsText(called) : called;
}

function sanitizeContent(content: unknown): unknown {
  return Array.isArray(content) ? mendEach(content, sanitizePart) : content;
}

/** Returns a part with its image as an object, of the type that its bytes have, and without line ends in its base64. */
function sanitizePart(part: unknown): unknown {
  if (!isFields(part)) return part;
  const { image_url: image, input_audio: audio, file } = part;
  return withFields(part, {
    image_url: withMended(typeof image === 'string' ? { url: image } : image, 'url', mendedDataUrl),
    input_audio: withMended(audio, 'data', withoutLineEnds),
    file: withMended(file, 'file_data', data =>
      data.startsWith('data:') ? mendedDataUrl(data) : withoutLineEnds(data),
    ),
  });
}

function withMended(media: unknown, field: string, mend: (data: string) => string): unknown {
  if (!isFields(media)) return media;
  const data = media[field];
  return typeof data === 'string' ? withFields(media, { [field]: mend(data) }) : media;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
