import type { ChatRequest } from '@model-gateway/wire';
import { readCallId } from './call-id.ts';
import { isTagged } from './signature.ts';

/**
 * Whether a history holds what the gateway keeps of another format's vendor: a signature behind its format's name, or
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
  return isTagged(signature) || isTagged(data);
}

function isForeignCall({ id }: Record<string, unknown>): boolean {
  return typeof id === 'string' && readCallId(id).signature !== undefined;
}

function objects(given: unknown): Record<string, unknown>[] {
  return Array.isArray(given) ? given.filter(value => typeof value === 'object' && value !== null) : [];
}
