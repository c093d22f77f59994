import { withArgumentsText } from '@model-gateway/json';
import { mendedDataUrl, withoutLineEnds } from '../values/media.ts';
import { isForeignSignature, readSignedId } from '../values/signatures.ts';

type Fields = Record<string, unknown>;

/**
 * Mends in a client's history what vendors refuse: signatures of other vendors, which are tagged or which a gateway stored
 * in ids, arguments that are no JSON text, null in place of content, and media in another form. All else stays
 * unchanged. `signed` is true for Google's models, which require their signatures.
 */
export function sanitizeHistory(messages: readonly Fields[], signed: boolean): Fields[] {
  return messages.map(message => {
    switch (message.role) {
      case 'assistant':
        return sanitizeTurn(message, signed);
      case 'tool':
        return withContent({
          ...message,
          tool_call_id: plainId(message.tool_call_id),
          ...(message.content === null && { content: '' }),
        });
      default:
        return withContent(message);
    }
  });
}

function sanitizeTurn(turn: Fields, signed: boolean): Fields {
  const { thinking_blocks: blocks, tool_calls: calls, function_call: called, ...rest } = turn;
  const allowed = Array.isArray(blocks) ? blocks.filter(isAllowedBlock) : blocks;
  const kept = Array.isArray(allowed) && allowed.length === 0 ? undefined : allowed;
  const isEmpty = rest.content === null && !hasOther(turn);
  return {
    ...rest,
    ...(isEmpty && { content: '' }),
    ...(kept !== undefined && { thinking_blocks: kept }),
    ...(calls !== undefined && {
      tool_calls: Array.isArray(calls) ? calls.map(call => sanitizeCall(call, signed)) : calls,
    }),
    ...(called !== undefined && { function_call: withArguments(called) }),
  };
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

function isAllowedBlock(block: Fields | null): boolean {
  return !isForeignSignature(block?.signature, 'messages') && !isForeignSignature(block?.data, 'messages');
}

/** Moves a signature from the id to where Google's OpenAI-compatible API expects it, and mends the arguments. */
function sanitizeCall(call: Fields | null, signed: boolean): Fields | null {
  if (typeof call?.id !== 'string') return call;
  const { id, signature } = readSignedId(call.id);
  const extra = signed && signature ? { extra_content: { google: { thought_signature: signature } } } : {};
  const { function: called } = call;
  return { ...extra, ...call, id, ...(called !== undefined && { function: withArguments(called) }) };
}

function withArguments(called: unknown): unknown {
  return isFields(called) ? withArgumentsText(called) : called;
}

function plainId(id: unknown): unknown {
  return typeof id === 'string' ? readSignedId(id).id : id;
}

function withContent(message: Fields): Fields {
  const { content } = message;
  return Array.isArray(content) ? { ...message, content: content.map(sanitizePart) } : message;
}

/** The fields of a part that hold media, with that of the media's data. */
const mediaFields = { image_url: 'url', input_audio: 'data', file: 'file_data' } as const;

/** Returns a part with its image as an object, of the type that its bytes have, and without line ends in its base64. */
function sanitizePart(part: unknown): unknown {
  if (!isFields(part)) return part;
  const changed: Fields = {};
  for (const [field, key] of Object.entries(mediaFields)) {
    const value =
      field === 'image_url' && typeof part[field] === 'string' ? { url: part[field] } : part[field];
    if (!isFields(value)) continue;
    const data = value[key];
    changed[field] = typeof data === 'string' ? { ...value, [key]: mended(data) } : value;
  }
  return { ...part, ...changed };
}

function mended(data: string): string {
  return data.startsWith('data:') ? mendedDataUrl(data) : withoutLineEnds(data);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
