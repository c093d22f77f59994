import { Text } from '@mantine/core';
import { type ReactNode, useCallback, useRef } from 'react';
import type { AskOptions, ConversationState } from '../ask/use-conversation.ts';
import { siblingsOf } from '../conversation/conversation.ts';
import { callsOf, type MediaPart, type QuestionPart } from '../conversation/part.ts';
import type { Answer, Question, Turn } from '../conversation/turn.ts';
import { refusal } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import { AnswerView } from './answer-view.tsx';
import classes from './chat-panel.module.css';
import { Composer } from './composer.tsx';
import { QuestionView } from './question-view.tsx';
import { useFollowing } from './use-following.ts';

interface Props {
  chat: ConversationState;
  options: AskOptions;
  /** The reason why nothing can be sent. */
  hint: string | undefined;
  attached: readonly MediaPart[];
  onAttach(files: MediaPart[]): void;
  onInspect(id: number): void;
  /** Buttons beside that to send. */
  more: ReactNode;
}

/** The conversation, and the form to go on with it. */
export function ChatPanel(props: Props) {
  const { chat, options, hint, attached, onAttach, more } = props;
  const { path, running } = chat;
  const log = useFollowing(path);
  const input = useRef<HTMLTextAreaElement>(null);
  const last = path.at(-1);
  const unanswered = last?.role === 'assistant' && last.state === 'done' ? callsOf(last.parts) : [];
  const send = (parts: QuestionPart[]) => {
    chat.send(parts, options);
    onAttach([]);
  };
  return (
    <div className={classes.chat}>
      <div
        ref={log}
        className={classes.log}
        role="log"
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus is needed to scroll with the keyboard
        tabIndex={0}
        data-busy={chat.running || hint !== undefined}
      >
        <div className={classes.turns}>
          {path.length === 0 && (
            <Text c="dimmed" className={classes.empty as string}>
              {hint ?? `Ask ${options.model} something.`}
            </Text>
          )}
          <Turns {...props} onAsked={() => input.current?.focus()} />
        </div>
      </div>
      <Composer
        ref={input}
        running={running}
        blocked={hint}
        calls={unanswered}
        attached={attached}
        refuses={media => refusal(formats[options.format], media)}
        onAttach={onAttach}
        onSend={send}
        onStop={chat.stop}
        more={more}
      />
    </div>
  );
}

function Turns({ chat, options, onInspect, onAsked }: Props & { onAsked(): void }) {
  const { conversation, path } = chat;
  // The turns are not drawn again while one of them streams, so what they call is looked up when it is called.
  const current = useRef({ chat, options, onInspect, onAsked });
  current.current = { chat, options, onInspect, onAsked };
  const choose = useCallback((id: number) => current.current.chat.choose(id), []);
  const retry = useCallback((answer: Answer) => {
    const { chat, options, onAsked } = current.current;
    chat.retry(answer, options);
    onAsked();
  }, []);
  const edit = useCallback((question: Question, parts: QuestionPart[]) => {
    const { chat, options, onAsked } = current.current;
    chat.edit(question, parts, options);
    onAsked();
  }, []);
  const inspect = useCallback((id: number) => current.current.onInspect(id), []);
  const siblings = useStableSiblings(conversation.turns.length, path, chat);
  return path.map(turn => {
    const beside = siblings.get(turn.id) ?? [];
    return turn.role === 'user' ? (
      <QuestionView key={turn.id} question={turn} siblings={beside} onChoose={choose} onEdit={edit} />
    ) : (
      <AnswerView
        key={turn.id}
        answer={turn}
        siblings={beside}
        onChoose={choose}
        onRetry={retry}
        onInspect={inspect}
      />
    );
  });
}

/** Returns the siblings of the shown turns; the lists stay the same while no turn is added. */
function useStableSiblings(count: number, path: readonly Turn[], { conversation }: ConversationState) {
  const kept = useRef({ count: -1, ids: '', siblings: new Map<number, number[]>() });
  const ids = path.map(({ id }) => id).join();
  if (kept.current.count !== count || kept.current.ids !== ids) {
    const siblings = new Map(path.map(turn => [turn.id, siblingsOf(conversation, turn)]));
    kept.current = { count, ids, siblings };
  }
  return kept.current.siblings;
}
