import { Table } from '@mantine/core';
import type { UsageEntry } from '@model-gateway/admin-api';
import { formatMoney, formatMs } from '../layout/format.ts';
import { Time } from '../layout/time.tsx';
import { WideTable } from '../layout/wide-table.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';

const columns = [
  ...['Started', 'Provider', 'Model there', 'Outcome', 'Error', "Provider's answer"],
  ...['Time', 'First token', 'Cost'],
];

/** The attempts of a request in the order in which they were made. */
export function AttemptTable({ attempts }: { attempts: readonly UsageEntry[] }) {
  return (
    <WideTable label="Attempts" minWidth={900}>
      <Table aria-label="Attempts">
        <Table.Thead>
          <Table.Tr>
            {columns.map(label => (
              <Table.Th key={label}>{label}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {attempts.map(attempt => (
            <Table.Tr key={attempt.id}>
              <Table.Td>
                <Time at={attempt.at} />
              </Table.Td>
              <Table.Td>{attempt.provider}</Table.Td>
              <Table.Td>{attempt.upstreamModel}</Table.Td>
              <Table.Td>
                <OutcomeBadge {...attempt} />
              </Table.Td>
              <Table.Td>{attempt.error ?? '–'}</Table.Td>
              <Table.Td maw={360} style={{ overflowWrap: 'anywhere' }}>
                <UpstreamWords attempt={attempt} />
              </Table.Td>
              <Table.Td>{formatMs(attempt.ms)}</Table.Td>
              <Table.Td>{attempt.firstMs === null ? '–' : formatMs(attempt.firstMs)}</Table.Td>
              <Table.Td>
                {formatMoney(attempt.cost)}
                {!attempt.charged && attempt.cost !== null && ' (given up, not charged)'}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
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
