import { Table, Text } from '@mantine/core';
import { formatCount, formatMoney } from '../layout/format.ts';
import { Failed, Loading } from '../layout/states.tsx';
import { useResource } from '../layout/use-resource.ts';
import { periodStart } from '../spending/period.ts';

/** The most models that are listed. */
const mostModels = 8;

/** The models that a project has used in this month, with the most expensive first. */
export function UsedModels({ project }: { project: string }) {
  const from = periodStart('month', new Date())?.toISOString() ?? '';
  const { value, error, reload } = useResource('totalUsage', { query: { by: 'model', project, from } });
  if (!value) return error ? <Failed error={error} onRetry={reload} /> : <Loading what="the usage" />;
  if (value.data.length === 0) return <Text size="sm">No request was answered in this month.</Text>;
  const models = value.data.toSorted((one, other) => other.cost - one.cost || other.requests - one.requests);
  return (
    <>
      <Table aria-label="Models used this month" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Model</Table.Th>
            <Table.Th ta="right">Requests</Table.Th>
            <Table.Th ta="right">Tokens</Table.Th>
            <Table.Th ta="right">Cost</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {models.slice(0, mostModels).map(({ key, requests, input, output, cost, unpriced }) => (
            <Table.Tr key={key}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{key}</Table.Td>
              <Table.Td ta="right">{formatCount(requests)}</Table.Td>
              <Table.Td ta="right">{formatCount(input + output)}</Table.Td>
              <Table.Td ta="right">{unpriced === requests ? 'no price' : formatMoney(cost)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {models.length > mostModels && (
        <Text size="xs" c="dimmed">
          And {models.length - mostModels} more, on the page of usage.
        </Text>
      )}
    </>
  );
}
