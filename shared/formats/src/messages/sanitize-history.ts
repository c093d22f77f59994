import { CallPairs } from '../upstream/call-ids.ts';
import { contradictedType, withoutLineEnds } from '../values/media.ts';
import { mendEach, unlessSame, withFields } from '../values/mend.ts';
import { isForeignSignature } from '../values/signatures.ts';
import { callId, isWritten } from './encode-conversation.ts';
import type { MessagesCountRequest } from './request.ts';

/** A turn in a client's history. */
export interface ClientTurn {
  role: string;
  content: string | ClientBlock[];
}

/** A turn as it was received: upstreams answer with null where they write nothing, and clients send that back. */
type ReceivedTurn = Omit<ClientTurn, 'content'> & { content: ClientTurn['content'] | null };

type ClientBlock = { type: string } & Record<string, unknown>;
type Pairs = CallPairs<ClientBlock>;

/** True if a history holds what is mended below: the vendor refuses it, though no client means it. */
export function isForeignHistory({
  messages,
  system,
}: Pick<MessagesCountRequest, 'messages' | 'system'>): boolean {
  return (
    sanitizeHistory(messages) !== messages || (Array.isArray(system) && sanitizeSystem(system) !== system)
  );
}

/**
 * Mends in a client's history what the vendor refuses: thinking that it did not sign, web citations without its index, invalid and
 * repeated ids, blank texts, white space at the end of a beginning of the answer, and files that are not of their type. All else stays
 * unchanged.
 */
export function sanitizeHistory(turns: readonly ReceivedTurn[]): readonly ClientTurn[] {
  const pairs: Pairs = new CallPairs();
  const sent: ClientTurn[] = [];
  let answering = false;
  for (const turn of turns) {
    const asks = turn.role === 'assistant';
    if (asks && answering) shareResults(pairs, sent);
    answering = !asks;
    const mended = sanitizeTurn(turn, pairs);
    if (mended) sent.push(mended);
  }
  shareResults(pairs, sent);
  const last = sent.at(-1);
  if (last?.role === 'assistant') sent[sent.length - 1] = withoutTrailingSpace(last);
  return unlessSame(turns as readonly ClientTurn[], sent);
}

/** The content of a user's turn that has none. */
const placeholder: ClientBlock = { type: 'text', text: '.' };

function sanitizeTurn(turn: ReceivedTurn, pairs: Pairs): ClientTurn | undefined {
  const { content, role } = turn;
  if (typeof content === 'string' && isWritten(content)) return turn as ClientTurn;
  const blocks = Array.isArray(content) ? content : [];
  const kept = mendEach(blocks, block => sanitizeBlock(block, pairs));
  if (kept.length > 0) return withFields(turn, { content: kept }) as ClientTurn;
  // Another turn that becomes empty is removed; the vendor merges its neighbours.
  return role === 'user' ? { ...turn, content: [placeholder] } : undefined;
}

/** Adds the results that calls of the last turn share. */
function shareResults(pairs: Pairs, sent: ClientTurn[]): void {
  const { shared } = pairs.end();
  const last = sent.at(-1);
  if (shared.length === 0 || !Array.isArray(last?.content)) return;
  const more = shared.map(({ callId, result }) => ({ ...result, tool_use_id: callId }));
  sent[sent.length - 1] = { ...last, content: [...more, ...last.content] };
}

function withoutTrailingSpace(turn: ClientTurn): ClientTurn {
  const { content } = turn;
  if (typeof content === 'string') return withFields(turn, { content: content.trimEnd() });
  const last = content.at(-1);
  if (last?.type !== 'text' || typeof last.text !== 'string') return turn;
  const trimmed = withFields(last, { text: last.text.trimEnd() });
  return trimmed === last ? turn : { ...turn, content: [...content.slice(0, -1), trimmed] };
}

function sanitizeBlock(block: ClientBlock, pairs: Pairs): ClientBlock | undefined {
  switch (block.type) {
    case 'thinking':
      return isSigned(block.signature) ? block : undefined;
    case 'redacted_thinking':
      return isSigned(block.data) ? block : undefined;
    case 'tool_use': {
      const id = allowedId(block.id);
      return withFields(block, { id: typeof id === 'string' ? pairs.call(id) : id });
    }
    case 'tool_result': {
      const id = allowedId(block.tool_use_id);
      const tool_use_id = (typeof id === 'string' && pairs.result(id, block)) || id;
      return withFields(block, { tool_use_id, content: resultContent(block) });
    }
    default:
      return ofResult(block);
  }
}

/** Returns the content of a result, without which an error is refused. */
function resultContent({ content, is_error }: ClientBlock): unknown {
  const isBlank = typeof content === 'string' && !isWritten(content);
  const kept = Array.isArray(content) ? mendEach(content, ofResult) : isBlank ? '' : content;
  return is_error && (kept === '' || [kept].flat().every(each => each == null)) ? '(empty)' : kept;
}

/** Mends a block that may stand in a tool's result, too; undefined for one that is left out. */
function ofResult(block: ClientBlock): ClientBlock | undefined {
  switch (block?.type) {
    case 'text':
      return typeof block.text === 'string' && !isWritten(block.text)
        ? undefined
        : withIndexedCitations(block);
    case 'image':
    case 'document':
      return asHeld(block);
    default:
      return block;
  }
}

/** Returns a file as what its bytes are. */
function asHeld(block: ClientBlock): ClientBlock {
  const given = Object(block.source) as Record<string, unknown>;
  const { type, data, media_type: declared } = given;
  if (type !== 'base64' || typeof data !== 'string' || typeof declared !== 'string') return block;
  const media_type = contradictedType(declared, data) ?? declared;
  const source = withFields(given, { media_type, data: withoutLineEnds(data) });
  const kind = kindOf(media_type) ?? block.type;
  if (kind === block.type) return withFields(block, { source });
  const { cache_control } = block;
  return { type: kind, source, ...(cache_control !== undefined && { cache_control }) };
}

function kindOf(mediaType: string): string | undefined {
  if (mediaType === 'application/pdf') return 'document';
  return mediaType.startsWith('image/') ? 'image' : undefined;
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

/** Returns a client's instructions without blank texts. */
export function sanitizeSystem(system: readonly ClientBlock[]): readonly ClientBlock[] {
  return mendEach(system, ofResult);
}
