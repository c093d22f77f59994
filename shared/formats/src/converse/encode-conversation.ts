import type { GenerateRequest, Message } from '@model-gateway/canonical';
import { paired } from '../upstream/call-ids.ts';
import { refuse } from '../upstream/unsupported.ts';
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

/**
 * Encodes a conversation as alternating turns, with leading instructions separate. Later instructions keep their place as
 * user text: at the top their meaning would change.
 * @throws GatewayError for a first turn that is not the user's, from clients whose format has the same rule
 */
export function conversation(
  { messages: asked, userFirst }: GenerateRequest,
  context: BlockContext,
): { system: System; turns: ConverseTurnParam[] } {
  const messages = paired(asked);
  const leading = messages.findIndex(({ role }) => role !== 'system');
  const split = leading < 0 ? messages.length : leading;
  const system = messages
    .slice(0, split)
    .flatMap(message => (message.role === 'system' ? textBlocks(message.content, context) : []));
  const turns = messages.slice(split).flatMap(message => turnOf(message, context));
  return { system: system as System, turns: alternating(turns, userFirst) };
}

function turnOf(message: Message, context: BlockContext): ConverseTurnParam[] {
  switch (message.role) {
    case 'system':
      return unlessEmpty({ role: 'user', content: textBlocks(message.content, context) });
    case 'user':
      return [{ role: 'user', content: userBlocks(message.content, context) }];
    case 'tool':
      return [{ role: 'user', content: message.content.flatMap(part => resultBlocks(part, context)) }];
    case 'assistant':
      return unlessEmpty({ role: 'assistant', content: assistantBlocks(message.content, context) });
  }
}

function unlessEmpty(turn: ConverseTurnParam): ConverseTurnParam[] {
  return turn.content.length > 0 ? [turn] : [];
}

function alternating(turns: ConverseTurnParam[], userFirst = false): ConverseTurnParam[] {
  const merged: ConverseTurnParam[] = [];
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
    if (turn.role === 'user') turn.content = withText(resultsFirst(turn.content));
  }
  const last = merged.at(-1);
  if (last?.role === 'assistant') last.content = withoutTrailingSpace(last.content);
  return merged;
}

/** The content of a user turn that has none: Bedrock refuses it, and a conversation that does not begin with a user turn. */
const placeholder: ConverseBlockParam = { text: '.' };

/** Removes the white space at the end of a beginning of the answer, which the models refuse. */
function withoutTrailingSpace(content: ConverseBlockParam[]): ConverseBlockParam[] {
  const last = content.at(-1);
  if (!last || !('text' in last)) return content;
  return [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}

/** Moves results before any text: they must follow their calls. */
function resultsFirst(content: ConverseBlockParam[]): ConverseBlockParam[] {
  const isResult = (block: ConverseBlockParam) => 'toolResult' in block;
  return [...content.filter(isResult), ...content.filter(block => !isResult(block))];
}

/** Adds a text to a turn of documents alone, which Bedrock refuses. */
function withText(content: ConverseBlockParam[]): ConverseBlockParam[] {
  const needs = content.some(block => 'document' in block) && !content.some(block => 'text' in block);
  return needs ? [{ text: '.' }, ...content] : content;
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
