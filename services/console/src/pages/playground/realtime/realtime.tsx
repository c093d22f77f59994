import { Button, Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Mark } from '../../layout/mark.tsx';
import type { CodeRequest } from '../../snippets/request.ts';
import { RequestCode } from '../../snippets/request-code.tsx';
import { useRefreshAfter } from '../../token/use-refresh-after.ts';
import { Disclosure } from '../operation/disclosure.tsx';
import { Failure } from '../operation/failure.tsx';
import { type Field, Fields, voices } from '../operation/fields.tsx';
import { hintFor, type OperationProps } from '../operation/operation.ts';
import { OperationPage } from '../operation/operation-page.tsx';
import { codeRequest, jsonRequest } from '../operation/request.ts';
import { useDraft, useModel } from '../operation/use-tab.ts';
import { FilteredEvents } from '../request/events.tsx';
import { Conversation } from './conversation.tsx';
import { byHand, type Draft, emptyDraft, sessionOf } from './draft.ts';
import { useSession } from './session.ts';
import type { EventLog, LoggedEvent, SessionState } from './session-state.ts';
import { TurnForm } from './turn-form.tsx';

/** The tab for realtime sessions: a conversation with a model over a WebSocket, by voice and in writing. */
export function Realtime({ secret, models, blocked }: OperationProps) {
  const [draft, change] = useDraft<Draft>('realtime', emptyDraft);
  const model = useModel(models);
  const { state, hearing, session, open } = useSession();
  const { phase } = state;
  useRefreshAfter(state.responding !== undefined);
  const active = phase === 'connecting' || phase === 'open';
  const hint = hintFor(blocked, model, undefined);
  const settings = sessionOf(draft);
  const request = jsonRequest('/v1/realtime/client_secrets', { session: { ...settings, model: model.name } });
  return (
    <OperationPage
      title="Realtime"
      about="Talk with a model by voice and in writing, in a session that stays open."
      {...{ models, blocked, model }}
      settings={
        <>
          <Fields fields={fields} draft={draft} change={change} />
          {phase === 'open' && (
            <Button variant="default" onClick={() => session?.update(settings)}>
              Update the session
            </Button>
          )}
        </>
      }
    >
      <Group gap="sm">
        {active ? (
          <Button key="close" variant="default" onClick={() => session?.close()}>
            Close the session
          </Button>
        ) : (
          <Button key="open" disabled={hint !== undefined} onClick={() => open(secret, model.name, settings)}>
            Open a session
          </Button>
        )}
        <Phase state={state} />
        {hint && !active && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
      </Group>
      {state.problem && <Failure problem={state.problem} />}
      {state.entries.length > 0 && <Conversation state={state} price={model.price} />}
      {phase === 'open' && session && (
        <TurnForm
          text={draft.message}
          onText={message => change({ message })}
          {...{ state, hearing, session }}
        />
      )}
      <SessionDetails
        log={state.log}
        code={{ request: codeRequest('realtime', request, model.name), secret }}
      />
    </OperationPage>
  );
}

/** The settings of a session. Those of an open one can be changed. */
const fields: Field<Draft>[] = [
  {
    ...{ type: 'text', name: 'instructions', label: 'Instructions' },
    ...{ placeholder: 'Not sent', maxRows: 8 },
  },
  {
    ...{ type: 'choice', name: 'output', label: 'Output modality' },
    data: [
      { value: 'text', label: 'Text' },
      { value: 'audio', label: 'Audio' },
    ],
  },
  {
    ...{ type: 'choice', name: 'turns', label: 'Turn detection' },
    description: 'Manual: you end your turn yourself.',
    data: [
      { value: byHand, label: 'Manual' },
      { value: 'server_vad', label: 'Server VAD' },
      { value: 'semantic_vad', label: 'Semantic VAD' },
    ],
  },
  {
    ...{ type: 'suggestion', name: 'voice', label: 'Voice', placeholder: 'Model default', data: voices },
    description: 'It cannot be changed after audio was sent.',
  },
  {
    ...{ type: 'number', name: 'speed', label: 'Speed', min: 0.25, max: 1.5, step: 0.25 },
    description: 'From 0.25 to 1.5, between turns.',
  },
  {
    ...{ type: 'line', name: 'transcription', label: 'Transcription model', placeholder: 'Not sent' },
    description: 'Transcribes what you say. Sessions that the gateway emulates have their own.',
  },
];

const phases = {
  none: { label: 'Not connected', color: 'gray' },
  connecting: { label: 'Connecting…', color: 'blue' },
  open: { label: 'Open', color: 'green' },
  closed: { label: 'Closed', color: 'gray' },
} as const;

function Phase({ state: { phase, ended, model } }: { state: SessionState }) {
  const { label, color } = phases[phase];
  return (
    <Group gap="xs" role="status" aria-label="State of the session" data-phase={phase}>
      <Mark color={color}>{label}</Mark>
      <Text size="sm" c="dimmed">
        {phase === 'open' ? `with ${model}` : ended}
      </Text>
    </Group>
  );
}

/** The raw events of a session, and code that opens such a session. Closed until somebody opens it. */
function SessionDetails({ log, code }: { log: EventLog; code: { request: CodeRequest; secret: string } }) {
  return (
    <>
      {log.events.length > 0 && (
        <Disclosure label="Events">
          <Events log={log} />
        </Disclosure>
      )}
      <Disclosure label="Use it in code">
        <RequestCode {...code} />
      </Disclosure>
    </>
  );
}

function Events({ log: { events, dropped } }: { log: EventLog }) {
  const listed = useMemo(
    () => events.map(event => ({ ms: event.ms, event: titleOf(event), data: event.data })),
    [events],
  );
  return (
    <FilteredEvents
      events={listed}
      missing={dropped > 0 ? `${dropped} older ones dropped` : undefined}
      text={({ event, data }) => `${event}\n${data}\n`}
    />
  );
}

function titleOf({ way, type, count }: LoggedEvent): string {
  return `${way === 'sent' ? '→' : '←'} ${type}${count > 1 ? ` × ${count}` : ''}`;
}
