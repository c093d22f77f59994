import { contradictedType, hasLineEnds } from '../values/media-type.ts';
import { isForeignSignature } from '../values/signatures.ts';
import { type MessagesAnyBlock, type MessagesCountRequest, messagesWebCitation } from './request.ts';

type History = Pick<MessagesCountRequest, 'messages' | 'system'>;

/**
 * True if a history holds what the vendor of this format refuses, though no client means it: signatures, citations or ids of another
 * vendor, ids that repeat, blank texts, and files that are not of their type.
 */
export function isForeignHistory({ messages, system }: History): boolean {
  if (Array.isArray(system) && system.some(isRefused)) return true;
  const last = messages.at(-1);
  if (last?.role === 'assistant' && endsInSpace(last.content)) return true;
  const ids = new Set<unknown>();
  return messages.some(({ content }) => {
    if (typeof content === 'string') return isBlank(content);
    return content.length === 0 || content.some(block => isForeignBlock(block) || repeatsId(block, ids));
  });
}

function endsInSpace(content: History['messages'][number]['content']): boolean {
  const text = typeof content === 'string' ? content : content.at(-1)?.text;
  return typeof text === 'string' && text !== text.trimEnd();
}

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** True for a call whose id an earlier one has. */
function repeatsId({ type, id }: MessagesAnyBlock, ids: Set<unknown>): boolean {
  if (type !== 'tool_use') return false;
  const repeats = ids.has(id);
  ids.add(id);
  return repeats;
}

function isForeignBlock(block: MessagesAnyBlock): boolean {
  const { type, signature, data } = block;
  // Thinking without a signature is another vendor's, and this one rejects it.
  if (type === 'thinking' && !signature) return true;
  if (isForeignSignature(signature, 'messages') || isForeignSignature(data, 'messages')) return true;
  if (type === 'tool_result' && isRefusedResult(block)) return true;
  return hasForeignId(block) || hasUnsignedCitation(block) || isRefused(block);
}

/** True for a result with blank content, and for an error without content. */
function isRefusedResult({ content, is_error }: MessagesAnyBlock): boolean {
  if (Array.isArray(content)) return content.length === 0 ? Boolean(is_error) : content.some(isRefused);
  if (typeof content !== 'string') return Boolean(is_error);
  return isBlank(content) && (content !== '' || Boolean(is_error));
}

/** True for a blank text, and for a file that is not of its type or in the base64 of mails. */
function isRefused(block: Partial<MessagesAnyBlock> | null): boolean {
  const { type, text, source } = block ?? {};
  if (type === 'text') return typeof text === 'string' && isBlank(text);
  if (type !== 'image' && type !== 'document') return false;
  const { type: held, data, media_type } = Object(source) as Record<string, unknown>;
  if (held !== 'base64' || typeof data !== 'string' || typeof media_type !== 'string') return false;
  return contradictedType(media_type, data) !== undefined || hasLineEnds(data);
}

/** True if a block has a citation without a signature, made by the gateway. The vendor rejects it. */
function hasUnsignedCitation(block: Record<string, unknown>): boolean {
  if (!Array.isArray(block.citations)) return false;
  return block.citations.some(citation => {
    const { success, data } = messagesWebCitation.safeParse(citation);
    return success && !data.encrypted_index;
  });
}

function hasForeignId({ type, id, tool_use_id }: MessagesAnyBlock): boolean {
  const callId = type === 'tool_use' ? id : type === 'tool_result' ? tool_use_id : undefined;
  return typeof callId === 'string' && !/^[a-zA-Z0-9_-]+$/.test(callId);
}
