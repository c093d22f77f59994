import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import type { CheckStatus, Diagnostics, Finding } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';
import { formatTime } from '../layout/format.ts';
import { Mark } from '../layout/mark.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { WideTable } from '../layout/wide-table.tsx';

const marks: Record<CheckStatus, { color: string; label: string; place: number }> = {
  failed: { color: 'red', label: 'failed', place: 0 },
  warning: { color: 'yellow', label: 'warning', place: 1 },
  ok: { color: 'green', label: 'ok', place: 2 },
};

/** The diagnostics of the installation: what was found, and what to do about it. */
export function HealthCheck() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [ofUser, 'showDiagnostics'],
    queryFn: ({ signal }) => api.call('showDiagnostics', { signal }),
    refetchOnWindowFocus: false,
    retry: false,
  });
  if (!data) return error ? <Failed error={error} onRetry={refetch} /> : <Loading what="the health check" />;
  return (
    <Stack>
      {error && <Failed error={error} />}
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Checked at {formatTime(data.at)} by the clock of control, version {data.version}.
        </Text>
        <Button size="compact-sm" variant="default" loading={isFetching} onClick={() => refetch()}>
          Check again
        </Button>
      </Group>
      <Verdict {...data} />
      <Findings checks={data.checks} />
    </Stack>
  );
}

function Verdict({ checks }: Pick<Diagnostics, 'checks'>) {
  const failed = checks.filter(({ status }) => status === 'failed').length;
  const warnings = checks.filter(({ status }) => status === 'warning').length;
  if (failed + warnings === 0) return <Alert color="green" title="Everything is as it should be" />;
  const counts = [
    failed > 0 && `${failed} ${failed === 1 ? 'check' : 'checks'} failed`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
  ].filter(Boolean);
  return (
    <Alert color={failed > 0 ? 'red' : 'yellow'} title={counts.join(', ')}>
      The table says what to do about each.
    </Alert>
  );
}

function Findings({ checks }: { checks: readonly Finding[] }) {
  const worstFirst = checks.toSorted((one, other) => marks[one.status].place - marks[other.status].place);
  return (
    <WideTable label="Findings" minWidth={340}>
      <Table aria-label="Findings">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>State</Table.Th>
            <Table.Th>Check</Table.Th>
            <Table.Th>Found</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {worstFirst.map(({ check, status, found, advice }) => (
            <Table.Tr key={`${check} ${found}`}>
              <Table.Td style={{ verticalAlign: 'top' }}>
                <Mark color={marks[status].color}>{marks[status].label}</Mark>
              </Table.Td>
              <Table.Td style={{ verticalAlign: 'top' }}>{check}</Table.Td>
              <Table.Td>
                {found}
                {advice && (
                  <Text size="sm" fw={600} mt={4}>
                    {advice}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
