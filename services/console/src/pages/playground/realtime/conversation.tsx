import { Loader, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { formatMoney, formatMs } from '../../layout/format.ts';
import { costOf, type Price } from '../../token/cost.ts';
import classes from './conversation.module.css';
import type { Ended, Entry, Message, SessionState } from './session-state.ts';

/** The conversation of a session: what both sides said, what each response used, and errors. */
export function Conversation({ state: { entries }, price }: { state: SessionState; price: Price | null }) {
  const list = useFollowing(entries);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus is needed to scroll with the keyboard
    <section ref={list} className={classes.conversation} aria-label="Conversation" tabIndex={0}>
      {entries.map((entry, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries are only added at the end
        <EntryView key={place} entry={entry} price={price} />
      ))}
    </section>
  );
}

function EntryView({ entry, price }: { entry: Entry; price: Price | null }) {
  switch (entry.type) {
    case 'message':
      return <MessageView message={entry} />;
    case 'response':
      return <Facts response={entry} price={price} />;
    case 'error':
      return (
        <p className={classes.error} role="alert">
          {entry.message} {entry.code && <code>{entry.code}</code>}
        </p>
      );
  }
}

function MessageView({ message: { role, text, spoken, state } }: { message: Message }) {
  const user = role === 'user';
  return (
    <article
      className={user ? classes.user : classes.answer}
      aria-label={user ? 'You' : 'Answer'}
      aria-busy={state === 'running'}
      data-state={state}
    >
      {spoken && (
        <Text size="xs" c="dimmed">
          {user ? 'You said' : 'Spoken'}
        </Text>
      )}
      {text && <div className={classes.text}>{text}</div>}
      {text === '' && state === 'running' && (
        <Loader type="dots" size="sm" role="status" aria-label="Waiting" />
      )}
      {text === '' && state !== 'running' && (
        <Text size="sm" c="dimmed" fs="italic">
          Empty.
        </Text>
      )}
      {state === 'cut' && (
        <Text size="sm" c="dimmed" fs="italic">
          Stopped.
        </Text>
      )}
    </article>
  );
}

/** Writes how a response ended: `completed · 12 tokens in, 30 out · $0.0004 · first part after 300 ms · 2 s in total`. */
function Facts({ response, price }: { response: Ended; price: Price | null }) {
  const { status, reason, usage, firstMs, totalMs } = response;
  const texts = [
    reason ? `${status}: ${reason}` : status,
    usage && `${usage.input_tokens.toLocaleString()} tokens in, ${usage.output_tokens.toLocaleString()} out`,
    usage && costText(usage, price),
    firstMs !== undefined && `first part after ${formatMs(firstMs)}`,
    `${formatMs(totalMs)} in total`,
  ];
  return <p className={classes.facts}>{texts.filter(Boolean).join(' · ')}</p>;
}

function costText(usage: NonNullable<Ended['usage']>, price: Price | null): string {
  const { input_token_details: read, output_token_details: written } = usage;
  const cost = costOf(
    {
      input: usage.input_tokens,
      audioInput: read?.audio_tokens,
      imageInput: read?.image_tokens,
      cached: read?.cached_tokens,
      output: usage.output_tokens,
      audioOutput: written?.audio_tokens,
    },
    price,
  );
  return cost === null ? 'cost unknown' : formatMoney(cost);
}

/** The distance from the end, in pixels, within which the view follows the conversation. */
const nearPx = 80;

/** Keeps a list scrolled to its end, unless the reader has scrolled away. */
function useFollowing(content: unknown) {
  const list = useRef<HTMLElement>(null);
  const height = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the content grows
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const near = height.current - element.scrollTop - element.clientHeight < nearPx;
    height.current = element.scrollHeight;
    if (near) element.scrollTop = element.scrollHeight;
  }, [content]);
  return list;
}
