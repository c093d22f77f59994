import type { Signature, ToolCallPart } from '@model-gateway/canonical';
import type { ChatToolCall } from '@model-gateway/wire';

/** A whole call. No arguments are an empty object. */
export function renderCall({ id, name, arguments: text, custom, signature }: ToolCallPart): ChatToolCall {
  if (custom) return { id, type: 'custom', custom: { name, input: text } };
  return { id, type: 'function', function: { name, arguments: text || '{}' }, ...renderProof(signature) };
}

/** A call's signature, where Google's own surface of this format puts it. */
export function renderProof(signature: Signature | undefined): {
  extra_content?: { google: { thought_signature: string } };
} {
  if (signature?.format !== 'generate-content') return {};
  return { extra_content: { google: { thought_signature: signature.value } } };
}
