import { Button, Group, Text, Textarea } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { canHear } from './microphone.ts';
import type { Hearing, RealtimeSession } from './session.ts';
import type { SessionState } from './session-state.ts';

/** The next turn of the user: a message, or the voice. */
export function TurnForm({
  text,
  onText,
  state,
  hearing,
  session,
}: {
  text: string;
  onText(text: string): void;
  state: SessionState;
  hearing: Hearing;
  session: RealtimeSession;
}) {
  const empty = text.trim() === '';
  const send = () => {
    if (empty) return;
    session.say(text.trim());
    onText('');
  };
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        aria-label="Message"
        placeholder="Write a message, or talk"
        autosize
        minRows={2}
        maxRows={8}
        value={text}
        onChange={event => onText(event.currentTarget.value)}
        onKeyDown={event => onEnter(event, send)}
      />
      <Group gap="sm" mt="xs">
        <Button type="submit" disabled={empty}>
          Send
        </Button>
        <Voice {...{ state, hearing, session }} />
        {state.responding && (
          <Button color="red" onClick={() => session.interrupt()}>
            Stop
          </Button>
        )}
      </Group>
      <Text size="sm" c={hearing.problem ? 'var(--mantine-color-error)' : 'dimmed'} mt="xs" role="status">
        {statusOf(state, hearing)}
      </Text>
    </form>
  );
}

function Voice({
  state,
  hearing,
  session,
}: {
  state: SessionState;
  hearing: Hearing;
  session: RealtimeSession;
}) {
  switch (hearing.state) {
    case 'talking':
      return (
        <>
          <Button variant="light" color="red" onClick={() => session.stopHearing(true)}>
            Done talking
          </Button>
          <Button variant="subtle" onClick={() => session.stopHearing(false)}>
            Discard
          </Button>
        </>
      );
    case 'open':
      return (
        <Button variant="light" color="red" onClick={() => session.stopHearing(false)}>
          Close the microphone
        </Button>
      );
    default: {
      const detects = detectsTurns(state);
      return (
        <Button
          variant="default"
          disabled={!canHear}
          loading={hearing.state === 'asking'}
          onClick={() => session.hear(detects ? 'open' : 'talking')}
        >
          {detects ? 'Open the microphone' : 'Talk'}
        </Button>
      );
    }
  }
}

function detectsTurns({ settings }: SessionState): boolean {
  return Boolean(settings?.audio?.input?.turn_detection);
}

function statusOf(state: SessionState, hearing: Hearing): string {
  if (hearing.problem) return hearing.problem;
  if (!canHear) return 'Talking needs HTTPS and a browser that supports it.';
  if (hearing.state === 'talking') return 'Listening. Choose “Done talking” when your turn ends.';
  if (hearing.state === 'open') return 'Listening. The end of your turn is detected.';
  return state.responding ? 'The model is answering.' : '';
}

/** An Enter that ends an input method's composition does not send. */
function onEnter(event: KeyboardEvent, send: () => void): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  send();
}
