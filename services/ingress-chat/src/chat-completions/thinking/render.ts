import type { ReasoningPart } from '@model-gateway/canonical';
import type { ChatThinkingBlock } from '@model-gateway/wire';
import { writeSignature } from '../signature.ts';

/** Reasoning as a client sends it back, so that the vendor takes it for its own. */
export function renderThinking({ text, signature, redacted }: ReasoningPart): ChatThinkingBlock {
  const proof = signature ? writeSignature(signature) : '';
  if (redacted) return { type: 'redacted_thinking', data: proof };
  return { type: 'thinking', thinking: text, ...(proof && { signature: proof }) };
}
