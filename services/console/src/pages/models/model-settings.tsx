import type { ModelInfo } from '@model-gateway/admin-api';
import { ManagedBy } from '../catalog/entry-marks.tsx';
import { Facts } from '../layout/facts.tsx';
import { formatTime } from '../layout/format.ts';
import { Section } from '../layout/section.tsx';

/** The settings of a model, and what holds where one is not set. */
export function ModelSettings({ model }: { model: ModelInfo }) {
  const { strategy, retries, affinity, hedgeAfter, timeouts, limits, realtime, drop, createdAt } = model;
  const tokens = (count: number | undefined) =>
    count ? `${count.toLocaleString('en-US')} tokens` : 'not stated';
  return (
    <Section title="Settings">
      <Facts
        facts={[
          ['Managed by', <ManagedBy key="by" {...model} />],
          ['Operations', model.operations.join(', ') || 'none'],
          ['Context', tokens(limits.context)],
          ['Longest answer', tokens(limits.maxOutput)],
          ['Which target is first', strategy ?? 'by weight if a target has one, else in their order'],
          ['Sent again once all failed', `${retries ?? 0} times`],
          ['Turns of a conversation', affinity === false ? 'to any target' : 'to the same target'],
          ['A second target is asked', hedgeAfter ? `after ${hedgeAfter} without an answer` : 'never'],
          ['First token within', timeouts.firstToken ?? '60s; images 5m'],
          ['Longest pause of a stream', timeouts.idle ?? '60s; images 5m'],
          ['Whole answer within', timeouts.total],
          ['Realtime sessions', realtimeText(realtime)],
          ['Fields that are left out', drop.join(', ') || 'none'],
          ['Since', formatTime(createdAt)],
        ]}
      />
    </Section>
  );
}

function realtimeText(realtime: ModelInfo['realtime']): string {
  if (realtime === null) return "the provider's if it has them, else made by the gateway";
  if (realtime === 'upstream') return "the provider's";
  const { transcription, speech, voice } = realtime;
  const parts = [
    transcription && `heard by ${transcription}`,
    speech && `spoken by ${speech}`,
    voice && `voice ${voice}`,
  ].filter(Boolean);
  return ['made by the gateway', ...parts].join(', ');
}
