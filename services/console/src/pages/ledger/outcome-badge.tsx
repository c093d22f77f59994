import type { RunningChangeInfo, RunningInfo } from '@model-gateway/admin-api';
import { Mark } from '../layout/mark.tsx';

const stateColors = { waiting: 'gray', queued: 'yellow', running: 'blue', streaming: 'indigo' } as const;
const outcomeColors: Record<string, string> = {
  answered: 'green',
  failed: 'red',
  lost: 'red',
  cancelled: 'gray',
  refused: 'orange',
};

/** The state of a request in flight, or how it ended. */
export function LiveBadge({ request, end }: { request: RunningInfo; end: RunningChangeInfo['end'] }) {
  if (!end) return <Mark color={stateColors[request.state]}>{request.state}</Mark>;
  const { endedBy, status, error } = end;
  if (endedBy) return <Mark color="gray">ended by {endedBy}</Mark>;
  if (status === 499) return <Mark color="gray">cancelled</Mark>;
  return error || status >= 400 ? (
    <Mark color="red">{error ?? status}</Mark>
  ) : (
    <Mark color="green">answered</Mark>
  );
}

/** The outcome of an attempt or a request in the ledger. */
export function OutcomeBadge({ outcome, endedBy }: { outcome: string; endedBy?: string | null }) {
  return <Mark color={outcomeColors[outcome] ?? 'gray'}>{endedBy ? `ended by ${endedBy}` : outcome}</Mark>;
}
