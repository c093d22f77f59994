import { useCallback, useEffect, useReducer, useRef } from 'react';
import { toProblem } from '../problem.ts';
import { askChat } from './ask-chat.ts';
import { type Answer, conversation, messagesOf, type Turn } from './conversation.ts';

/** The settings of the next question. */
export interface ChatOptions {
  secret: string;
  model: string;
  system: string;
  temperature: number | undefined;
  maxTokens: number | undefined;
}

export interface Chat {
  turns: Turn[];
  running: boolean;
  send(text: string, options: ChatOptions): void;
  /** Sends the last question again. */
  retry(options: ChatOptions): void;
  stop(): void;
  /** Clears the conversation and stops a running answer. */
  clear(): void;
}

/** Holds a conversation with a model, one answer at a time. */
export function useChat(): Chat {
  const [turns, dispatch] = useReducer(conversation, []);
  const aborting = useRef<AbortController>(undefined);
  const lastId = useRef(0);
  const stop = useCallback(() => aborting.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const run = async (answer: Answer, history: Turn[], options: ChatOptions) => {
    const { secret, system, ...request } = options;
    const { id } = answer;
    const controller = new AbortController();
    const { signal } = controller;
    aborting.current = controller;
    const began = performance.now();
    const ms = () => performance.now() - began;
    try {
      const messages = messagesOf(history, system);
      for await (const piece of askChat(secret, { ...request, messages }, signal)) {
        if (piece.type === 'accepted') dispatch({ ...piece, id });
        else dispatch({ type: 'piece', id, piece, ms: ms() });
      }
      dispatch({ type: 'ended', id, state: 'done', ms: ms() });
    } catch (thrown) {
      if (signal.aborted) dispatch({ type: 'ended', id, state: 'stopped', ms: ms() });
      else dispatch({ type: 'ended', id, state: 'failed', ms: ms(), problem: toProblem(thrown) });
    }
  };
  const begin = (model: string): Answer => {
    const id = ++lastId.current;
    return { role: 'assistant', id, model, text: '', reasoning: '', state: 'running' };
  };

  return {
    turns,
    running: turns.some(turn => turn.role === 'assistant' && turn.state === 'running'),
    send(text, options) {
      const question = { role: 'user' as const, id: ++lastId.current, text };
      const answer = begin(options.model);
      dispatch({ type: 'asked', question, answer });
      void run(answer, [...turns, question], options);
    },
    retry(options) {
      const answer = begin(options.model);
      dispatch({ type: 'asked-again', answer });
      void run(answer, turns.slice(0, -1), options);
    },
    stop,
    clear() {
      stop();
      dispatch({ type: 'cleared' });
    },
  };
}
