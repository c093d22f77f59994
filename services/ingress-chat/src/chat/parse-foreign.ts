import { isForeignSignature, readSignedId } from '@model-gateway/canonical';
import type { ChatRequest } from '@model-gateway/wire';

/**
 * Whether a history holds what the gateway keeps of another format's vendor: a signature behind its format's tag, or
 * one hidden in a call's id. What has no such mark may be the upstream's own, whatever it stands before.
 */
export function isForeignHistory({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  return messages.some(message => {
    if (message.role !== 'assistant') return false;
    const { thinking_blocks: blocks, tool_calls: calls } = message;
    return objects(blocks).some(isForeignBlock) || objects(calls).some(isForeignCall);
  });
}

function isForeignBlock({ signature, data }: Record<string, unknown>): boolean {
  return isForeignSignature(signature, 'messages') || isForeignSignature(data, 'messages');
}

function isForeignCall({ id }: Record<string, unknown>): boolean {
  return typeof id === 'string' && readSignedId(id).signature !== undefined;
}

function objects(given: unknown): Record<string, unknown>[] {
  return Array.isArray(given) ? given.filter(value => typeof value === 'object' && value !== null) : [];
}
