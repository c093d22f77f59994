import type { GenerateRequest, Message } from '@model-gateway/canonical';
import type { MessagesBlockParam, MessagesTextParam, MessagesTurnParam } from '@model-gateway/wire';
import { checkPairing, refuse } from '../unsupported.ts';
import { assistantBlocks, textBlocks, toolResultBlock, userBlocks } from './encode-content.ts';

export interface Conversation {
  system: MessagesTextParam[];
  turns: MessagesTurnParam[];
}

/**
 * Encodes a conversation as alternating turns, with leading instructions separate. Later instructions keep their place
 * as user text: at the top their meaning would change.
 * @throws GatewayError for a first turn that is not the user's, from clients whose format has the same rule
 */
export function conversation({ messages, userFirst }: GenerateRequest): Conversation {
  checkPairing(messages);
  const leading = messages.findIndex(({ role }) => role !== 'system');
  const split = leading < 0 ? messages.length : leading;
  const system = messages.slice(0, split).flatMap(m => (m.role === 'system' ? textBlocks(m.content) : []));
  return { system, turns: alternating(messages.slice(split).flatMap(turnOf), userFirst) };
}

function turnOf(message: Message): MessagesTurnParam[] {
  switch (message.role) {
    case 'system': {
      const content = textBlocks(message.content);
      return content.length > 0 ? [{ role: 'user', content }] : [];
    }
    case 'user':
      return [{ role: 'user', content: userBlocks(message.content) }];
    case 'tool':
      return [{ role: 'user', content: message.content.map(toolResultBlock) }];
    case 'assistant': {
      const content = assistantBlocks(message.content);
      return content.length > 0 ? [{ role: 'assistant', content }] : [];
    }
  }
}

function alternating(turns: MessagesTurnParam[], userFirst = false): MessagesTurnParam[] {
  const merged: MessagesTurnParam[] = [];
  for (const { role, content } of turns) {
    const last = merged.at(-1);
    if (last?.role === role) last.content.push(...content);
    else merged.push({ role, content });
  }
  if (merged[0]?.role !== 'user') merged.unshift(firstTurn(userFirst));
  for (const turn of merged) {
    if (turn.content.length === 0) refuse('messages', 'A user message must not be empty.');
    if (turn.role === 'user') turn.content = resultsFirst(turn.content);
  }
  return merged;
}

/** Returns a placeholder for the user turn with which the vendor's conversations begin. */
function firstTurn(userFirst: boolean): MessagesTurnParam {
  if (userFirst) return refuse('messages', 'The first message must be a user message.');
  return { role: 'user', content: [{ type: 'text', text: '.' }] };
}

/** Moves results before any text: otherwise upstreams treat the calls as unanswered. */
function resultsFirst(content: MessagesBlockParam[]): MessagesBlockParam[] {
  const isResult = (block: MessagesBlockParam) => block.type === 'tool_result';
  return [...content.filter(isResult), ...content.filter(block => !isResult(block))];
}
