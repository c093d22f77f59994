import { isForeignSignature, readSignedId } from '@model-gateway/canonical';

type Fields = Record<string, unknown>;

/**
 * A client's own history without what the gateway, or another one, kept there for another vendor: tagged signatures, and
 * those hidden in ids. All else of it stays as it is. `signed` is for Google's models, which want theirs back.
 */
export function sanitizeHistory(messages: readonly Fields[], signed: boolean): Fields[] {
  return messages.map(message => {
    switch (message.role) {
      case 'assistant':
        return ownTurn(message, signed);
      case 'tool':
        return { ...message, tool_call_id: ownId(message.tool_call_id) };
      default:
        return message;
    }
  });
}

function ownTurn(turn: Fields, signed: boolean): Fields {
  const { thinking_blocks: blocks, tool_calls: calls, ...rest } = turn;
  const own = Array.isArray(blocks) ? blocks.filter(isOwnBlock) : blocks;
  const kept = Array.isArray(own) && own.length === 0 ? undefined : own;
  return {
    ...rest,
    ...(kept !== undefined && { thinking_blocks: kept }),
    ...(calls !== undefined && {
      tool_calls: Array.isArray(calls) ? calls.map(call => ownCall(call, signed)) : calls,
    }),
  };
}

function isOwnBlock(block: Fields | null): boolean {
  return !isForeignSignature(block?.signature, 'messages') && !isForeignSignature(block?.data, 'messages');
}

/** A signature out of the id goes where Google's own surface of this format looks for it. */
function ownCall(call: Fields | null, signed: boolean): Fields | null {
  if (typeof call?.id !== 'string') return call;
  const { id, signature } = readSignedId(call.id);
  const proof = signed && signature ? { extra_content: { google: { thought_signature: signature } } } : {};
  return { ...proof, ...call, id };
}

function ownId(id: unknown): unknown {
  return typeof id === 'string' ? readSignedId(id).id : id;
}
