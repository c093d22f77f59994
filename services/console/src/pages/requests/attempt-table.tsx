import { Table } from '@mantine/core';
import type { UsageEntry } from '@model-gateway/admin-api';
import { formatMoney, formatMs } from '../layout/format.ts';
import { Time } from '../layout/time.tsx';
import { WideTable } from '../layout/wide-table.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';

/** The attempts of a request in the order in which they were made. */
export function AttemptTable({ attempts }: { attempts: readonly UsageEntry[] }) {
  return (
    <WideTable label="Attempts" minWidth={760}>
      <Table aria-label="Attempts">
        <Table.Thead>
          <Table.Tr>
            {['Started', 'Provider', 'Model there', 'Outcome', 'Error', 'Time', 'First token', 'Cost'].map(
              label => (
                <Table.Th key={label}>{label}</Table.Th>
              ),
            )}
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
