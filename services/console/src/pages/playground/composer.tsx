import { Button, Group, Textarea } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, type RefObject, useState } from 'react';
import classes from './composer.module.css';

interface Props {
  ref: RefObject<HTMLTextAreaElement | null>;
  running: boolean;
  /** The reason why nothing can be sent. */
  blocked: string | undefined;
  onSend(text: string): void;
  onStop(): void;
  /** Further buttons. */
  more: ReactNode;
}

/** The form for a question: Enter sends it, Shift+Enter starts a new line. */
export function Composer({ ref, running, blocked, onSend, onStop, more }: Props) {
  const [text, setText] = useState('');
  const sendable = !running && !blocked && text.trim() !== '';
  const send = () => {
    if (!sendable) return;
    onSend(text.trim());
    setText('');
    ref.current?.focus();
  };
  const stop = () => {
    onStop();
    ref.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // An Enter that ends an input method's composition does not send.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className={classes.composer}
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        ref={ref}
        aria-label="Message"
        placeholder={blocked ?? 'Write a message'}
        autosize
        minRows={2}
        maxRows={10}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group justify="space-between">
        <span className={classes.keys}>Enter sends, Shift+Enter is a new line</span>
        <Group gap="xs" ml="auto">
          {more}
          {running ? (
            <Button key="stop" color="red" onClick={stop}>
              Stop
            </Button>
          ) : (
            <Button key="send" type="submit" disabled={!sendable}>
              Send
            </Button>
          )}
        </Group>
      </Group>
    </form>
  );
}
