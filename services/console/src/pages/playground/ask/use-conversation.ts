import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { toProblem } from '../../problem.ts';
import { type Conversation, nextId, noConversation, pathOf, pathTo } from '../conversation/conversation.ts';
import { historyOf } from '../conversation/history.ts';
import type { FormatName, QuestionPart } from '../conversation/part.ts';
import { reduce } from '../conversation/reduce.ts';
import type { Settings } from '../conversation/settings.ts';
import { type Answer, failureOf, type Question, type Turn } from '../conversation/turn.ts';
import { formats } from '../formats/formats.ts';
import { type Exchange, Exchanges } from './exchange.ts';
import { runAnswer } from './run-answer.ts';

/** How the next question is asked. */
export interface AskOptions {
  secret: string;
  model: string;
  format: FormatName;
  settings: Settings;
}

export interface ConversationState {
  conversation: Conversation;
  /** The turns that are shown. */
  path: Turn[];
  running: boolean;
  /** Asks below the last turn that is shown. */
  send(parts: QuestionPart[], options: AskOptions): void;
  /** Asks the question of an answer again; the new answer is a branch beside it. */
  retry(answer: Answer, options: AskOptions): void;
  /** Asks something else in place of a question; that is a branch beside it. */
  edit(question: Question, parts: QuestionPart[], options: AskOptions): void;
  /** Shows the branch that begins with a turn. */
  choose(id: number): void;
  stop(): void;
  /** Replaces the conversation, as when another one is opened, and stops a running answer. */
  replace(conversation: Conversation): void;
  /** The request and the events of an answer of this page. */
  exchange(id: number): Exchange | undefined;
}

/** Holds a conversation with models, in any wire format, one answer at a time. */
export function useConversation(initial: Conversation = noConversation): ConversationState {
  const [conversation, dispatch] = useReducer(reduce, initial);
  const aborting = useRef<AbortController>(undefined);
  const [exchanges] = useState(() => new Exchanges());
  const stop = useCallback(() => aborting.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const run = (answer: Answer, before: Turn[], { secret, settings }: AskOptions) => {
    const format = formats[answer.format];
    const { id, model } = answer;
    const controller = new AbortController();
    aborting.current = controller;
    const began = performance.now();
    try {
      const request = format.build({ model, turns: historyOf(before), settings });
      exchanges.begin(id, format.name, request);
      void runAnswer({ id, request, reader: format.reader(), secret, controller, exchanges, dispatch });
    } catch (thrown) {
      // What was typed is in the conversation; only the request could not be made of it.
      const ms = performance.now() - began;
      dispatch({ type: 'ended', id, state: 'failed', ms, failure: failureOf(toProblem(thrown)) });
    }
  };

  const question = (parent: number | null, parts: QuestionPart[], options: AskOptions) => {
    const asked: Question = { role: 'user', id: nextId(conversation), parent, parts };
    const answer = newAnswer(asked.id + 1, asked.id, options);
    dispatch({ type: 'added', turns: [asked, answer] });
    run(answer, [...pathTo(conversation, parent), asked], options);
  };

  const path = pathOf(conversation);
  return {
    conversation,
    path,
    running: conversation.turns.some(turn => turn.role === 'assistant' && turn.state === 'running'),
    send: (parts, options) => question(path.at(-1)?.id ?? null, parts, options),
    retry(old, options) {
      const answer = newAnswer(nextId(conversation), old.parent, options);
      dispatch({ type: 'added', turns: [answer] });
      run(answer, pathTo(conversation, old.parent), options);
    },
    edit: ({ parent }, parts, options) => question(parent, parts, options),
    choose: id => dispatch({ type: 'chosen', id }),
    stop,
    replace(other) {
      stop();
      exchanges.clear();
      dispatch({ type: 'replaced', conversation: other });
    },
    exchange: id => exchanges.get(id),
  };
}

function newAnswer(id: number, parent: number | null, { model, format, settings }: AskOptions): Answer {
  const json = settings.output !== 'text';
  return { role: 'assistant', id, parent, format, model, parts: [], state: 'running', ...(json && { json }) };
}
