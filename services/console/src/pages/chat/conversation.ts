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
  /** The time from the question to the first text or reasoning. */
  firstTokenMs?: number;
  totalMs?: number;
  problem?: Problem;
}

export type Turn = Question | Answer;

/** An event of a conversation; `ms` is the time since the question. */
export type ConversationEvent =
  | { type: 'asked'; question: Question; answer: Answer }
  | { type: 'asked-again'; answer: Answer }
  | { type: 'accepted'; id: number; requestId: string | undefined }
  | { type: 'piece'; id: number; piece: Piece; ms: number }
  | { type: 'ended'; id: number; state: 'done' | 'stopped' | 'failed'; ms: number; problem?: Problem }
  | { type: 'cleared' };

/** Reduces an event to the new turns. An event for an answer that is gone or has ended changes nothing. */
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

/** Builds the messages for the model: questions and answers, without failed and unfinished answers. */
export function messagesOf(turns: readonly Turn[], system: string): ChatRequest['messages'] {
  const sent = turns.filter(
    turn => turn.role === 'user' || (turn.text !== '' && (turn.state === 'done' || turn.state === 'stopped')),
  );
  return [
    ...(system ? [{ role: 'system' as const, content: system }] : []),
    ...sent.map(({ role, text }) => ({ role, content: text })),
  ];
}
