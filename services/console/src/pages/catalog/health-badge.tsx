import { Badge, Text, Tooltip } from '@mantine/core';
import { formatTime } from '../layout/format.ts';
import { type Health, isRefused, type Rest } from './use-health.ts';

interface Look {
  color: string;
  label: string;
  meaning: string;
}

const looks: Record<Health, Look> = {
  serving: { color: 'green', label: 'Serving', meaning: 'It takes requests.' },
  resting: {
    color: 'red',
    label: 'Resting',
    meaning: 'It gets no requests while another target is available.',
  },
  probing: {
    color: 'yellow',
    label: 'Probing',
    meaning: 'It gets one request at a time until one is answered.',
  },
  unknown: { color: 'gray', label: 'Unknown', meaning: 'Its state is not known at the moment.' },
};

/** A key that its provider refuses, resting or probed: it does not come back by itself. */
const refused: Look = {
  color: 'red',
  label: 'Key refused',
  meaning: 'The provider refuses the API key, so requests go elsewhere. Correct the key, or its rights.',
};

function lookOf(rest: Rest | undefined): Look {
  return isRefused(rest) ? refused : looks[rest?.state ?? 'unknown'];
}

/** The state of a target or a key in one word. */
export function HealthBadge({ rest }: { rest: Rest | undefined }) {
  const { color, label, meaning } = lookOf(rest);
  return (
    <Tooltip
      label={rest ? [meaning, sentenceOf(rest)].filter(Boolean).join(' ') : meaning}
      multiline
      maw={320}
    >
      <Badge variant="light" color={color} size="sm" tt="none" miw="max-content">
        {label}
      </Badge>
    </Tooltip>
  );
}

/** The meaning of the state of a target or a key, and the reason, the start and the end of its rest. Nothing while it serves. */
export function RestReason({ rest }: { rest: Rest | undefined }) {
  const reason = rest && sentenceOf(rest);
  const sentence = reason && `${lookOf(rest).meaning} ${reason}`;
  if (!sentence) return null;
  return (
    <Text size="xs" c="dimmed">
      {sentence}
    </Text>
  );
}

const reasons: Record<string, string> = {
  failures: 'It failed repeatedly',
  asked: 'It asked for a pause',
  'refused-key': 'It refused the API key',
};

function sentenceOf({ state, reason, error, since, until }: Rest): string {
  if (state === 'serving') return '';
  const why = `${reasons[reason ?? ''] ?? 'It rests'}${error ? ` (${error})` : ''}`;
  const end = state === 'resting' && until ? ` It is tried again at ${clockOf(until)}.` : '';
  return `${why}${since ? ` since ${clockOf(since)}` : ''}.${end}`;
}

/** Returns the time of the day. */
function clockOf(at: string): string {
  return formatTime(at).split(', ').at(-1) ?? at;
}
