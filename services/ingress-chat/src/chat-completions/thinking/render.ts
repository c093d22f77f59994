import { type ReasoningPart, writeSignature } from '@model-gateway/canonical';
import type { ChatThinkingBlock } from '@model-gateway/wire';

/** Reasoning as a client sends it back, so that the vendor takes it for its own; these blocks are Anthropic's. */
export function renderThinking({ text, signature, redacted }: ReasoningPart): ChatThinkingBlock {
  const proof = signature ? writeSignature(signature, 'messages') : '';
  if (redacted) return { type: 'redacted_thinking', data: proof };
  return { type: 'thinking', thinking: text, ...(proof && { signature: proof }) };
}
