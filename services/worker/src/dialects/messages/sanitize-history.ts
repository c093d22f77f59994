import { isForeignSignature } from '@model-gateway/wire';
import { callId } from './names.ts';

/** A turn in a client's history. */
export interface ClientTurn {
  role: string;
  content: string | ClientBlock[];
}

type ClientBlock = { type: string } & Record<string, unknown>;

/**
 * Removes from a client's history what the vendor refuses: thinking that it did not sign, web citations without its
 * index, and invalid ids. All else stays unchanged.
 */
export function sanitizeHistory(turns: readonly ClientTurn[]): ClientTurn[] {
  return turns.flatMap(turn => {
    if (typeof turn.content === 'string') return [turn];
    const content = turn.content.flatMap(sanitizeBlock);
    // A turn that becomes empty is removed; the vendor merges its neighbours.
    return content.length > 0 || turn.content.length === 0 ? [{ ...turn, content }] : [];
  });
}

function sanitizeBlock(block: ClientBlock): ClientBlock[] {
  switch (block.type) {
    case 'thinking':
      return isSigned(block.signature) ? [block] : [];
    case 'redacted_thinking':
      return isSigned(block.data) ? [block] : [];
    case 'text':
      return [withIndexedCitations(block)];
    case 'tool_use':
      return [{ ...block, id: allowedId(block.id) }];
    case 'tool_result':
      return [{ ...block, tool_use_id: allowedId(block.tool_use_id) }];
    default:
      return [block];
  }
}

function isSigned(signature: unknown): boolean {
  return typeof signature === 'string' && signature !== '' && !isForeignSignature(signature, 'messages');
}

function allowedId(id: unknown): unknown {
  return typeof id === 'string' && !/^[a-zA-Z0-9_-]+$/.test(id) ? callId(id) : id;
}

function withIndexedCitations(block: ClientBlock): ClientBlock {
  const { citations, ...rest } = block;
  if (!Array.isArray(citations)) return block;
  const indexed = citations.filter(
    citation => citation?.type !== 'web_search_result_location' || citation.encrypted_index,
  );
  if (indexed.length === citations.length) return block;
  return { ...rest, ...(indexed.length > 0 && { citations: indexed }) };
}
