import type { Problem } from '../problem.ts';
import type { ChatRequest } from './ask-chat.ts';
import type { Piece, Usage } from './chunk.ts';

export interface Question {
  role: 'user';
  id: number;
  text: string;
}

export interface Answer {
  role: 'assistant';
  id: number;
  model: string;
  text: string;
  reasoning: string;
  state: 'running' | 'done' | 'stopped' | 'failed';
  requestId?: string | undefined;
  finishReason?: string;
  usage?: Usage;
  /** From the question to the first of text or reasoning. */
  firstTokenMs?: number;
  totalMs?: number;
  problem?: Problem;
}

export type Turn = Question | Answer;

/** What happens in a conversation; `ms` is the time since the question. */
export type ConversationEvent =
  | { type: 'asked'; question: Question; answer: Answer }
  | { type: 'asked-again'; answer: Answer }
  | { type: 'accepted'; id: number; requestId: string | undefined }
  | { type: 'piece'; id: number; piece: Piece; ms: number }
  | { type: 'ended'; id: number; state: 'done' | 'stopped' | 'failed'; ms: number; problem?: Problem }
  | { type: 'cleared' };

/** The conversation after something happened. What comes for an answer that is gone, or over, changes nothing. */
export function conversation(turns: Turn[], event: ConversationEvent): Turn[] {
  switch (event.type) {
    case 'asked':
      return [...turns, event.question, event.answer];
    case 'asked-again':
      return [...turns.slice(0, -1), event.answer];
    case 'accepted':
      return changed(turns, event.id, () => ({ requestId: event.requestId }));
    case 'piece':
      return changed(turns, event.id, answer => added(answer, event.piece, event.ms));
    case 'ended':
      return changed(turns, event.id, () => ({
        state: event.state,
        totalMs: event.ms,
        ...(event.problem && { problem: event.problem }),
      }));
    case 'cleared':
      return [];
  }
}

function changed(turns: Turn[], id: number, change: (answer: Answer) => Partial<Answer>): Turn[] {
  return turns.map(turn =>
    turn.id === id && turn.role === 'assistant' && turn.state === 'running'
      ? { ...turn, ...change(turn) }
      : turn,
  );
}

function added(answer: Answer, piece: Piece, ms: number): Partial<Answer> {
  const firstTokenMs = answer.firstTokenMs ?? ms;
  switch (piece.type) {
    case 'text':
      return { text: answer.text + piece.text, firstTokenMs };
    case 'reasoning':
      return { reasoning: answer.reasoning + piece.text, firstTokenMs };
    case 'finish':
      return { finishReason: piece.reason };
    case 'usage':
      return { usage: piece.usage };
  }
}

/** What the model is sent: what was said, without answers that failed or are still to come. */
export function messagesOf(turns: readonly Turn[], system: string): ChatRequest['messages'] {
  const said = turns.filter(
    turn => turn.role === 'user' || (turn.text !== '' && (turn.state === 'done' || turn.state === 'stopped')),
  );
  return [
    ...(system ? [{ role: 'system' as const, content: system }] : []),
    ...said.map(({ role, text }) => ({ role, content: text })),
  ];
}
