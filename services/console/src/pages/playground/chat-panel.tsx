import { Button, Text } from '@mantine/core';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Chat, ChatOptions } from '../chat/use-chat.ts';
import { AnswerView } from './answer-view.tsx';
import classes from './chat-panel.module.css';
import { Composer } from './composer.tsx';

/** The distance from the end, in pixels, within which the view follows the text. */
const nearPx = 80;

/** Keeps the view scrolled to the end while `content` grows, unless the reader has scrolled away. */
function useFollowing(content: unknown): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  useEffect(() => {
    const look = () => {
      const scroller = scrollerOf(element.current);
      following.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearPx;
    };
    // Scroll events do not bubble, but can be captured.
    document.addEventListener('scroll', look, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', look, { capture: true });
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the content grows
  useLayoutEffect(() => {
    const scroller = scrollerOf(element.current);
    if (following.current) scroller.scrollTop = scroller.scrollHeight;
  }, [content]);
  return element;
}

/** Returns the element that scrolls. On narrow screens that is the whole page. */
function scrollerOf(element: HTMLElement | null): Element {
  const scrolls = element && getComputedStyle(element).overflowY === 'auto';
  return scrolls ? element : document.documentElement;
}

interface Props {
  chat: Chat;
  options: ChatOptions;
  /** The reason why nothing can be sent. */
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the focus is needed to scroll with the keyboard */}
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
