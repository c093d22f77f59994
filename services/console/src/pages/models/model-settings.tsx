import type { ModelInfo } from '@model-gateway/admin-api';
import { ManagedBy } from '../catalog/entry-marks.tsx';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Section } from '../layout/page.tsx';

/** The settings of a model, and what holds where one is not set. */
export function ModelSettings({ model }: { model: ModelInfo }) {
  const { strategy, retries, affinity, hedgeAfter, timeouts, limits, realtime, drop, createdAt } = model;
  const tokens = (count: number | undefined) =>
    count ? `${count.toLocaleString('en-US')} tokens` : 'Not set';
  return (
    <Section title="Settings">
      <Facts
        facts={[
          ['Managed by', <ManagedBy key="by" {...model} />],
          ['Operations', model.operations.join(', ') || 'None'],
          ['Context window', tokens(limits.context)],
          ['Max output tokens', tokens(limits.maxOutput)],
          ['Routing strategy', strategy ?? 'weighted if a target has a weight, otherwise ordered'],
          ['Retries', String(retries ?? 0)],
          ['Session affinity', affinity === false ? 'Off' : 'On'],
          ['Hedge after', hedgeAfter ?? 'Never'],
          ['First token timeout', timeouts.firstToken ?? '60s; images 5m'],
          ['Idle timeout', timeouts.idle ?? '60s; images 5m'],
          ['Total timeout', timeouts.total],
          ['Realtime sessions', realtimeText(realtime)],
          ['Dropped parameters', drop.join(', ') || 'None'],
          ['Created', formatTime(createdAt)],
        ]}
      />
    </Section>
  );
}

function realtimeText(realtime: ModelInfo['realtime']): string {
  if (realtime === null) return 'Provider if supported, otherwise gateway';
  if (realtime === 'upstream') return 'Provider';
  const { transcription, speech, voice } = realtime;
  const parts = [
    transcription && `transcription ${transcription}`,
    speech && `speech ${speech}`,
    voice && `voice ${voice}`,
  ].filter(Boolean);
  return ['Gateway', ...parts].join(', ');
}
