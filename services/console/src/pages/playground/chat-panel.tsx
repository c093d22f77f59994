import { Button, Text } from '@mantine/core';
import { useRef } from 'react';
import type { Chat, ChatOptions } from '../chat/use-chat.ts';
import { AnswerView } from './answer-view.tsx';
import classes from './chat-panel.module.css';
import { Composer } from './composer.tsx';
import { useFollowing } from './use-following.ts';

interface Props {
  chat: Chat;
  options: ChatOptions;
  /** Why nothing can be sent now. */
  hint: string | undefined;
}

export function ChatPanel({ chat, options, hint }: Props) {
  const { turns, running } = chat;
  const log = useFollowing(turns);
  const input = useRef<HTMLTextAreaElement>(null);
  const last = turns.at(-1);
  const retry = () => {
    chat.retry(options);
    input.current?.focus();
  };
  return (
    <div className={classes.chat}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus */}
      <div ref={log} className={classes.log} role="log" aria-label="Conversation" tabIndex={0}>
        {turns.length === 0 && (
          <Text c="dimmed" className={classes.empty}>
            {hint ?? `Ask ${options.model} something.`}
          </Text>
        )}
        {turns.map(turn =>
          turn.role === 'user' ? (
            <article key={turn.id} className={classes.question} aria-label="You">
              {turn.text}
            </article>
          ) : (
            <AnswerView
              key={turn.id}
              answer={turn}
              onRetry={turn === last && !running && !hint ? retry : undefined}
            />
          ),
        )}
      </div>
      <Composer
        ref={input}
        running={running}
        blocked={hint}
        onSend={text => chat.send(text, options)}
        onStop={chat.stop}
        more={
          turns.length > 0 && (
            <Button
              variant="subtle"
              onClick={() => {
                chat.clear();
                input.current?.focus();
              }}
            >
              New chat
            </Button>
          )
        }
      />
    </div>
  );
}
