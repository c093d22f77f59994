import type { GenerateRequest, Message, TextPart } from '@model-gateway/canonical';
import { paired } from './call-ids.ts';
import { refuse } from './request-body.ts';

/** The roles of formats that have two, and instructions apart. */
const roles = {
  system: 'user',
  user: 'user',
  tool: 'user',
  assistant: 'assistant',
} as const satisfies Record<Message['role'], string>;

interface Turn<Block> {
  role: (typeof roles)[keyof typeof roles];
  content: Block[];
}

interface SplitConversation {
  instructions: TextPart[];
  turns: Message[];
}

/** Returns the instructions before a conversation, and its turns with each result behind its call. */
export function conversationOf({ messages }: Pick<GenerateRequest, 'messages'>): SplitConversation {
  return splitConversation(paired(messages));
}

/** Returns the instructions before a conversation, and its turns. */
export function splitConversation(messages: readonly Message[]): SplitConversation {
  const turns = [...messages];
  const first = turns.findIndex(({ role }) => role !== 'system');
  const leading = turns.splice(0, first < 0 ? turns.length : first);
  return { instructions: leading.flatMap(({ role, content }) => (role === 'system' ? content : [])), turns };
}

/** The blocks of a format. */
interface Blocks<Block> {
  of(turn: Message): Block[];
  isResult(block: Block): boolean;
  /** The content of a user turn that has none, and of one that a conversation must begin with. */
  placeholder: Block;
}

/**
 * Encodes a conversation as alternating turns. Instructions among them keep their place as user text: elsewhere their meaning would change.
 * Results come before other content of a turn, since they must follow their calls.
 * @throws GatewayError for a first turn that is not the user's, from clients whose format has the same rule
 */
export function alternating<Block extends object>(
  turns: readonly Message[],
  { of, isResult, placeholder }: Blocks<Block>,
  userFirst = false,
): Turn<Block>[] {
  const sent = joinedTurns(turns, of);
  if (sent[0]?.role !== 'user') {
    if (userFirst) refuse('messages', 'The first message must be a user message.');
    sent.unshift({ role: 'user', content: [] });
  }
  for (const turn of sent) {
    if (turn.content.length === 0) turn.content.push(placeholder);
    if (turn.role === 'user')
      turn.content = [...turn.content.filter(isResult), ...turn.content.filter(block => !isResult(block))];
  }
  const last = sent.at(-1);
  if (last?.role === 'assistant') last.content = withoutTrailingSpace(last.content);
  return sent;
}

/** Encodes the turns of a conversation, those of one side as one. */
export function joinedTurns<Block>(turns: readonly Message[], of: (turn: Message) => Block[]): Turn<Block>[] {
  const sent: Turn<Block>[] = [];
  for (const turn of turns) {
    const role = roles[turn.role];
    const content = of(turn);
    const last = sent.at(-1);
    if (content.length === 0 && (turn.role === 'system' || turn.role === 'assistant')) continue;
    if (last?.role === role) last.content.push(...content);
    else sent.push({ role, content });
  }
  return sent;
}

/** Removes the white space at the end of a beginning of the answer, which vendors refuse. */
function withoutTrailingSpace<Block extends object>(content: Block[]): Block[] {
  const last = content.at(-1);
  if (!last || !('text' in last) || typeof last.text !== 'string') return content;
  return [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}
