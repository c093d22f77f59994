import { Button, Group, Text } from '@mantine/core';
import { Mark } from '../../layout/mark.tsx';
import { useRefreshAfter } from '../../token/use-refresh-after.ts';
import { Failure } from '../operation/failure.tsx';
import { hintFor } from '../operation/hint.ts';
import { codeRequest, jsonRequest, type OperationProps } from '../operation/operation.ts';
import { OperationPage } from '../operation/operation-page.tsx';
import { useDraft } from '../operation/use-draft.ts';
import { useModel } from '../operation/use-model.ts';
import { Conversation } from './conversation.tsx';
import { type Draft, emptyDraft, sessionOf } from './draft.ts';
import { SessionDetails } from './session-details.tsx';
import type { SessionState } from './session-state.ts';
import { Settings } from './settings.tsx';
import { TurnForm } from './turn-form.tsx';
import { useSession } from './use-session.ts';

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
        <Settings
          draft={draft}
          change={change}
          onUpdate={phase === 'open' ? () => session?.update(settings) : undefined}
        />
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
