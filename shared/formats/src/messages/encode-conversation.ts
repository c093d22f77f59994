import type { GenerateRequest, Message } from '@model-gateway/canonical';
import { alternating, conversationOf, joinedTurns, splitConversation } from '../upstream/turns.ts';
import { assistantBlocks, textBlocks, toolResultBlock, userBlocks } from './encode-content.ts';
import type { MessagesBlockParam, MessagesTextParam, MessagesTurnParam } from './params.ts';

export interface Conversation {
  system: MessagesTextParam[];
  turns: MessagesTurnParam[];
}

/** Encodes a conversation as alternating turns, with leading instructions separate. */
export function conversation(request: GenerateRequest): Conversation {
  const { instructions, turns } = conversationOf(request);
  return { system: textBlocks(instructions), turns: alternating(turns, blocks, request.userFirst) };
}

/** Writes the turns of a conversation, those of one side as one, and separates the leading instructions. */
export function turnsOf(messages: readonly Message[]): Conversation {
  const { instructions, turns } = splitConversation(messages);
  return { system: textBlocks(instructions), turns: joinedTurns(turns, blocksOf) };
}

const blocks = {
  of: blocksOf,
  isResult: ({ type }: MessagesBlockParam) => type === 'tool_result',
  placeholder: { type: 'text', text: '.' } as const,
};

function blocksOf({ role, content }: Message): MessagesBlockParam[] {
  switch (role) {
    case 'system':
      return textBlocks(content);
    case 'user':
      return userBlocks(content);
    case 'tool':
      return content.map(toolResultBlock);
    case 'assistant':
      return assistantBlocks(content);
  }
}
