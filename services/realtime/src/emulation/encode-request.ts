import type { GenerateRequest, Message } from '@model-gateway/canonical';
import { requestOf } from '@model-gateway/formats/realtime';
import type { Item } from './item.ts';
import type { ResponseSettings } from './settings.ts';

/** A placeholder for the user's turn where the client requests a response without one. */
const nothing: Message = { role: 'user', content: [{ type: 'text', text: '.' }] };

/** Encodes a conversation's items as a generate request. */
export function encodeRequest(items: readonly Item[], settings: ResponseSettings): GenerateRequest {
  const request = requestOf(items, settings);
  return { ...request, messages: inTurns(request.messages) };
}

/**
 * Adds user turns at the beginning and the end where they are missing. Upstreams require the user to begin,
 * and would continue an answer at the end.
 */
function inTurns(messages: Message[]): Message[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const begun = first >= 0 && messages[first]?.role === 'user';
  const answered = messages.at(-1)?.role === 'assistant';
  const at = first < 0 ? messages.length : first;
  return [
    ...messages.slice(0, at),
    ...(begun ? [] : [nothing]),
    ...messages.slice(at),
    ...(answered ? [nothing] : []),
  ];
}
