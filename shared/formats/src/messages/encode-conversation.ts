import type { GenerateRequest, Message } from '@model-gateway/canonical';
import { paired } from '../upstream/call-ids.ts';
import { refuse } from '../upstream/unsupported.ts';
import { assistantBlocks, textBlocks, toolResultBlock, userBlocks } from './encode-content.ts';
import type { MessagesBlockParam, MessagesTextParam, MessagesTurnParam } from './params.ts';

export interface Conversation {
  system: MessagesTextParam[];
  turns: MessagesTurnParam[];
}

/**
 * Encodes a conversation as alternating turns, with leading instructions separate. Later instructions keep their place
 * as user text: at the top their meaning would change.
 * @throws GatewayError for a first turn that is not the user's, from clients whose format has the same rule
 */
export function conversation({ messages: asked, userFirst }: GenerateRequest): Conversation {
  const messages = paired(asked);
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
  if (merged[0]?.role !== 'user') {
    if (userFirst) refuse('messages', 'The first message must be a user message.');
    merged.unshift({ role: 'user', content: [] });
  }
  for (const turn of merged) {
    if (turn.content.length === 0) turn.content.push(placeholder);
    if (turn.role === 'user') turn.content = resultsFirst(turn.content);
  }
  const last = merged.at(-1);
  if (last?.role === 'assistant') last.content = withoutTrailingSpace(last.content);
  return merged;
}

/** The content of a user turn that has none: the vendor refuses it, and a conversation that does not begin with a user turn. */
const placeholder: MessagesTextParam = { type: 'text', text: '.' };

/** Removes the white space at the end of a beginning of the answer, which the vendor refuses. */
function withoutTrailingSpace(content: MessagesBlockParam[]): MessagesBlockParam[] {
  const last = content.at(-1);
  if (last?.type !== 'text') return content;
  return [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}

/** Moves results before any text: otherwise upstreams treat the calls as unanswered. */
function resultsFirst(content: MessagesBlockParam[]): MessagesBlockParam[] {
  const isResult = (block: MessagesBlockParam) => block.type === 'tool_result';
  return [...content.filter(isResult), ...content.filter(block => !isResult(block))];
}
