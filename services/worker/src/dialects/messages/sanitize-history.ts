import { isForeignSignature } from '@model-gateway/canonical';
import { callId } from './names.ts';

/** A turn as a client of this format wrote it. */
export interface OwnTurn {
  role: string;
  content: string | OwnBlock[];
}

type OwnBlock = { type: string } & Record<string, unknown>;

/**
 * A client's own history without what the vendor of this format refuses: thinking that it did not sign, sources that it
 * did not find, ids that it could not have made. All else of it stays as it is.
 */
export function sanitizeHistory(turns: readonly OwnTurn[]): OwnTurn[] {
  return turns.flatMap(turn => {
    if (typeof turn.content === 'string') return [turn];
    const content = turn.content.flatMap(ownBlock);
    // A turn of nothing else is none, and the vendor joins those that it stood between.
    return content.length > 0 || turn.content.length === 0 ? [{ ...turn, content }] : [];
  });
}

function ownBlock(block: OwnBlock): OwnBlock[] {
  switch (block.type) {
    case 'thinking':
      return isOwn(block.signature) ? [block] : [];
    case 'redacted_thinking':
      return isOwn(block.data) ? [block] : [];
    case 'text':
      return [withProof(block)];
    case 'tool_use':
      return [{ ...block, id: ownId(block.id) }];
    case 'tool_result':
      return [{ ...block, tool_use_id: ownId(block.tool_use_id) }];
    default:
      return [block];
  }
}

function isOwn(proof: unknown): boolean {
  return typeof proof === 'string' && proof !== '' && !isForeignSignature(proof, 'messages');
}

function ownId(id: unknown): unknown {
  return typeof id === 'string' && !/^[a-zA-Z0-9_-]+$/.test(id) ? callId(id) : id;
}

function withProof(block: OwnBlock): OwnBlock {
  const { citations, ...rest } = block;
  if (!Array.isArray(citations)) return block;
  const proven = citations.filter(
    citation => citation?.type !== 'web_search_result_location' || citation.encrypted_index,
  );
  if (proven.length === citations.length) return block;
  return { ...rest, ...(proven.length > 0 && { citations: proven }) };
}
