import { type AnswerEvent, withEvent } from './answer-event.ts';
import { type Conversation, chosenKey, noConversation } from './conversation.ts';
import type { Answer, Failure, Turn } from './turn.ts';

/** What the headers of a response say about an answer. */
export type Served = Pick<Answer, 'requestId' | 'target' | 'servedModel'>;

/** A change of a conversation; `ms` is the time since the request. */
export type Change =
  /** A new turn, which becomes the one that is shown below its parent. */
  | { type: 'added'; turns: Turn[] }
  | { type: 'accepted'; id: number; served: Served }
  /** Events of one answer that came together. */
  | { type: 'events'; id: number; events: AnswerEvent[]; ms: number }
  | { type: 'ended'; id: number; state: 'done' | 'stopped' | 'failed'; ms: number; failure?: Failure }
  /** Shows the branch that begins with a turn. */
  | { type: 'chosen'; id: number }
  | { type: 'replaced'; conversation: Conversation };

/** Reduces a change to the new conversation. A change of an answer that is gone or has ended changes nothing. */
export function reduce(conversation: Conversation, change: Change): Conversation {
  switch (change.type) {
    case 'added':
      return change.turns.reduce(withTurn, conversation);
    case 'accepted':
      return changed(conversation, change.id, () => change.served);
    case 'events':
      return changed(conversation, change.id, answer => withEvents(answer, change.events, change.ms));
    case 'ended':
      return changed(conversation, change.id, () => ({
        state: change.state,
        totalMs: change.ms,
        ...(change.failure && { failure: change.failure }),
      }));
    case 'chosen':
      return withChosen(conversation, change.id);
    case 'replaced':
      return change.conversation;
  }
}

function withTurn({ turns, chosen }: Conversation, turn: Turn): Conversation {
  return { turns: [...turns, turn], chosen: { ...chosen, [chosenKey(turn.parent)]: turn.id } };
}

function withChosen(conversation: Conversation, id: number): Conversation {
  const turn = conversation.turns.find(turn => turn.id === id);
  if (!turn) return conversation;
  return { ...conversation, chosen: { ...conversation.chosen, [chosenKey(turn.parent)]: id } };
}

function changed(
  conversation: Conversation,
  id: number,
  change: (answer: Answer) => Partial<Answer>,
): Conversation {
  const at = conversation.turns.findIndex(turn => turn.id === id);
  const turn = conversation.turns[at];
  if (turn?.role !== 'assistant' || turn.state !== 'running') return conversation;
  return { ...conversation, turns: conversation.turns.with(at, { ...turn, ...change(turn) }) };
}

function withEvents(answer: Answer, events: readonly AnswerEvent[], ms: number): Partial<Answer> {
  const shown = events.some(({ type }) => type === 'part' || type === 'delta');
  const finish = events.findLast(event => event.type === 'finish');
  const usage = events.findLast(event => event.type === 'usage');
  return {
    parts: events.reduce(withEvent, answer.parts),
    ...(shown && { firstTokenMs: answer.firstTokenMs ?? ms }),
    ...(finish && { finish: finish.reason, finishRaw: finish.raw }),
    ...(usage && { usage: usage.usage }),
  };
}

/** Returns a conversation as it is after the page was closed: an answer that was running then is cut off. */
export function resumed(conversation: Conversation): Conversation {
  if (conversation.turns.length === 0) return noConversation;
  const turns = conversation.turns.map(turn =>
    turn.role === 'assistant' && turn.state === 'running' ? interrupted(turn) : turn,
  );
  return { ...conversation, turns };
}

function interrupted(answer: Answer): Answer {
  const failure = { message: 'The page was closed before the answer was complete.', code: 'cut_off' };
  return { ...answer, state: 'failed', failure };
}
