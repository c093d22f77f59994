import { messagesWebCitation } from '@model-gateway/wire';

/** Whether a block cites what the gateway made of another vendor's answer: without its proof, this one refuses it. */
export function hasUnprovenCitation(block: Record<string, unknown>): boolean {
  if (!Array.isArray(block.citations)) return false;
  return block.citations.some(citation => {
    const { success, data } = messagesWebCitation.safeParse(citation);
    return success && !data.encrypted_index;
  });
}
