import { Table, Text } from '@mantine/core';
import type { TokenInfo } from '@model-gateway/admin-api';
import { WideTable } from '../layout/wide-table.tsx';
import { type Rate, rates } from '../settings-form/limits-draft.ts';

type Limits = NonNullable<TokenInfo['limits']>;

const titles: Record<Rate, string> = {
  requestsPerMinute: 'Requests a minute',
  tokensPerMinute: 'Tokens a minute',
  concurrency: 'Requests at once',
};

/** The limits of a token or a project, a line for all models and one for each model that has its own. */
export function LimitsTable({ limits }: { limits: Limits | null }) {
  if (!limits) {
    return (
      <Text size="sm" c="dimmed">
        It has no limits of its own.
      </Text>
    );
  }
  const lines: [string, Partial<Record<Rate, number | undefined>>][] = [
    ['All models together', limits],
    ...Object.entries(limits.models ?? {}),
  ];
  return (
    <WideTable label="Limits" minWidth={360}>
      <Table aria-label="Limits">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Models</Table.Th>
            {rates.map(rate => (
              <Table.Th key={rate} ta="right">
                {titles[rate]}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(([name, given]) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              {rates.map(rate => (
                <Table.Td key={rate} ta="right">
                  {given[rate]?.toLocaleString('en-US') ?? '–'}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
