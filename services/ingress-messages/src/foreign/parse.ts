import { isForeignSignature } from '@model-gateway/canonical';
import type { MessagesAnyBlock, MessagesCountRequest } from '@model-gateway/wire';
import { hasUnprovenCitation } from '../citations/unproven.ts';

/** A vendor refuses what another one signed, sources that it did not find itself, and ids that it could not have made. */
export function isForeignHistory({ messages }: Pick<MessagesCountRequest, 'messages'>): boolean {
  return messages.some(({ content }) => typeof content !== 'string' && content.some(isForeignBlock));
}

function isForeignBlock(block: MessagesAnyBlock): boolean {
  const { type, signature, data } = block;
  // What has no signature was thought by another vendor, and would be refused by this one.
  if (type === 'thinking' && !signature) return true;
  if (isForeignSignature(signature, 'messages') || isForeignSignature(data, 'messages')) return true;
  return hasForeignId(block) || hasUnprovenCitation(block);
}

function hasForeignId({ type, id, tool_use_id }: MessagesAnyBlock): boolean {
  const given = type === 'tool_use' ? id : type === 'tool_result' ? tool_use_id : undefined;
  return typeof given === 'string' && !/^[a-zA-Z0-9_-]+$/.test(given);
}
