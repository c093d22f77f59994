import { Box } from '@mantine/core';
import type { UsageEntry } from '@model-gateway/admin-api';
import { formatMoney, formatMs } from '../layout/format.ts';
import { PlainTable } from '../layout/plain-table.tsx';
import type { Column } from '../layout/record-table.tsx';
import { Time } from '../layout/time.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';

const columns: readonly Column<UsageEntry>[] = [
  { label: 'Started', render: ({ at }) => <Time at={at} /> },
  { label: 'Provider', render: ({ provider }) => provider },
  { label: 'Upstream model', render: ({ upstreamModel }) => upstreamModel },
  { label: 'Outcome', render: OutcomeBadge },
  { label: 'Error', render: ({ error }) => error ?? '–' },
  {
    label: 'Provider response',
    render: attempt => (
      <Box maw={360} style={{ overflowWrap: 'anywhere' }}>
        <UpstreamWords attempt={attempt} />
      </Box>
    ),
  },
  { label: 'Duration', render: ({ ms }) => formatMs(ms) },
  { label: 'First token', render: ({ firstMs }) => (firstMs === null ? '–' : formatMs(firstMs)) },
  {
    label: 'Cost',
    render: ({ cost, charged }) =>
      `${formatMoney(cost)}${!charged && cost !== null ? ' (abandoned, not charged)' : ''}`,
  },
];

/** The attempts of a request in the order in which they were made. */
export function AttemptTable({ attempts }: { attempts: readonly UsageEntry[] }) {
  return (
    <PlainTable label="Attempts" minWidth={900} rows={attempts} columns={columns} keyOf={({ id }) => id} />
  );
}

/** The status and the message of a provider about an attempt that failed. */
export function UpstreamWords({
  attempt: { upstreamStatus, upstreamMessage },
}: {
  attempt: Pick<UsageEntry, 'upstreamStatus' | 'upstreamMessage'>;
}) {
  if (upstreamStatus === null && !upstreamMessage) return '–';
  return [upstreamStatus, upstreamMessage].filter(Boolean).join(': ');
}
