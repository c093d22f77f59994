import { Badge } from '@mantine/core';
import type { RunningChangeInfo, RunningInfo } from '@model-gateway/admin-api';

const stateColors = { waiting: 'gray', queued: 'gray', running: 'indigo', streaming: 'indigo' } as const;
const outcomeColors: Record<string, string> = {
  answered: 'green',
  failed: 'red',
  lost: 'red',
  cancelled: 'gray',
};

/** The state of a request in flight, or how it ended. */
export function LiveBadge({ request, end }: { request: RunningInfo; end: RunningChangeInfo['end'] }) {
  if (!end) return <Mark color={stateColors[request.state]} text={request.state} />;
  const { endedBy, status, error } = end;
  if (endedBy) return <Mark color="gray" text={`ended by ${endedBy}`} />;
  if (status === 499) return <Mark color="gray" text="cancelled" />;
  return error || status >= 400 ? (
    <Mark color="red" text={error ?? String(status)} />
  ) : (
    <Mark color="green" text="answered" />
  );
}

/** The outcome of an attempt or a request in the ledger. */
export function OutcomeBadge({ outcome, endedBy }: { outcome: string; endedBy?: string | null }) {
  return <Mark color={outcomeColors[outcome] ?? 'gray'} text={endedBy ? `ended by ${endedBy}` : outcome} />;
}

function Mark({ color, text }: { color: string; text: string }) {
  return (
    <Badge color={color} variant="light" size="sm" tt="none" w="max-content" maw={180} title={text}>
      {text}
    </Badge>
  );
}
