import type { GenerateRequest, Message } from '@model-gateway/canonical';
import { alternating, conversationOf } from '../upstream/turns.ts';
import {
  assistantBlocks,
  type BlockContext,
  resultBlocks,
  textBlocks,
  userBlocks,
} from './encode-content.ts';
import type {
  ConverseBlockParam,
  ConverseCachePointParam,
  ConverseRequestParams,
  ConverseTurnParam,
} from './params.ts';

type System = NonNullable<ConverseRequestParams['system']>;

/** Encodes a conversation as alternating turns, with leading instructions separate. */
export function conversation(
  request: GenerateRequest,
  context: BlockContext,
): { system: System; turns: ConverseTurnParam[] } {
  const { instructions, turns } = conversationOf(request);
  const blocks = {
    of: (turn: Message) => blocksOf(turn, context),
    isResult: (block: ConverseBlockParam) => 'toolResult' in block,
    placeholder: { text: '.' },
  };
  return {
    system: textBlocks(instructions, context) as System,
    turns: alternating(turns, blocks, request.userFirst).map(withText),
  };
}

function blocksOf({ role, content }: Message, context: BlockContext): ConverseBlockParam[] {
  switch (role) {
    case 'system':
      return textBlocks(content, context);
    case 'user':
      return userBlocks(content, context);
    case 'tool':
      return content.flatMap(part => resultBlocks(part, context));
    case 'assistant':
      return assistantBlocks(content, context);
  }
}

/** Adds a text to a user's turn of documents alone, which Bedrock refuses. */
function withText({ role, content }: ConverseTurnParam): ConverseTurnParam {
  const needs = role === 'user' && content.some(block => 'document' in block);
  return {
    role,
    content: needs && !content.some(block => 'text' in block) ? [{ text: '.' }, ...content] : content,
  };
}

/** The largest number of cache breakpoints that Bedrock accepts. */
const maxBreakpoints = 4;

/** Removes the earliest cache breakpoints of a request if there are too many. */
export function limitBreakpoints(request: ConverseRequestParams): void {
  // In the order of the prompt.
  const lists: object[][] = [
    request.toolConfig?.tools ?? [],
    request.system ?? [],
    ...request.messages.map(({ content }) => content),
  ];
  const isPoint = (block: object): block is ConverseCachePointParam => 'cachePoint' in block;
  let extra = lists.flat().filter(isPoint).length - maxBreakpoints;
  for (const list of lists) {
    if (extra <= 0) return;
    const kept = list.filter(block => !isPoint(block) || extra-- <= 0);
    for (const [at, block] of kept.entries()) list[at] = block;
    list.length = kept.length;
  }
}
