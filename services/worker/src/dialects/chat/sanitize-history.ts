import { isForeignSignature, readSignedId } from '@model-gateway/wire';

type Fields = Record<string, unknown>;

/**
 * Removes signatures of other vendors from a client's history: tagged ones, and those that a gateway stored in ids.
 * All else stays unchanged. `signed` is true for Google's models, which require their signatures.
 */
export function sanitizeHistory(messages: readonly Fields[], signed: boolean): Fields[] {
  return messages.map(message => {
    switch (message.role) {
      case 'assistant':
        return sanitizeTurn(message, signed);
      case 'tool':
        return { ...message, tool_call_id: plainId(message.tool_call_id) };
      default:
        return message;
    }
  });
}

function sanitizeTurn(turn: Fields, signed: boolean): Fields {
  const { thinking_blocks: blocks, tool_calls: calls, ...rest } = turn;
  const allowed = Array.isArray(blocks) ? blocks.filter(isAllowedBlock) : blocks;
  const kept = Array.isArray(allowed) && allowed.length === 0 ? undefined : allowed;
  return {
    ...rest,
    ...(kept !== undefined && { thinking_blocks: kept }),
    ...(calls !== undefined && {
      tool_calls: Array.isArray(calls) ? calls.map(call => sanitizeCall(call, signed)) : calls,
    }),
  };
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

/** Moves a signature from the id to where Google's OpenAI-compatible API expects it. */
function sanitizeCall(call: Fields | null, signed: boolean): Fields | null {
  if (typeof call?.id !== 'string') return call;
  const { id, signature } = readSignedId(call.id);
  const extra = signed && signature ? { extra_content: { google: { thought_signature: signature } } } : {};
  return { ...extra, ...call, id };
}

function plainId(id: unknown): unknown {
  return typeof id === 'string' ? readSignedId(id).id : id;
}
