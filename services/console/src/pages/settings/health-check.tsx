import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { CheckStatus, Diagnostics, Finding } from '@model-gateway/admin-api';
import { formatTime } from '../layout/format.ts';
import { Mark } from '../layout/mark.tsx';
import { PlainTable } from '../layout/plain-table.tsx';
import { useResource } from '../layout/reading.ts';
import { Failed, Loading } from '../layout/states.tsx';

const marks: Record<CheckStatus, { color: string; label: string; place: number }> = {
  failed: { color: 'red', label: 'failed', place: 0 },
  warning: { color: 'yellow', label: 'warning', place: 1 },
  ok: { color: 'green', label: 'ok', place: 2 },
};

/** The diagnostics of the installation: what was found, and what to do about it. */
export function HealthCheck() {
  const {
    value: data,
    error,
    loading,
    reload,
  } = useResource('showDiagnostics', { refetchOnWindowFocus: false, retry: false });
  if (!data) return error ? <Failed error={error} onRetry={reload} /> : <Loading what="the health check" />;
  return (
    <Stack>
      {error ? <Failed error={error} /> : null}
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Checked at {formatTime(data.at)} by the clock of control, version {data.version}.
        </Text>
        <Button size="compact-sm" variant="default" loading={loading} onClick={() => void reload()}>
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
  if (failed + warnings === 0) return <Alert color="green" title="All checks passed" />;
  const counts = [
    failed > 0 && `${failed} ${failed === 1 ? 'check' : 'checks'} failed`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
  ].filter(Boolean);
  return (
    <Alert color={failed > 0 ? 'red' : 'yellow'} title={counts.join(', ')}>
      The table below says what to do.
    </Alert>
  );
}

function Findings({ checks }: { checks: readonly Finding[] }) {
  const worstFirst = checks.toSorted((one, other) => marks[one.status].place - marks[other.status].place);
  return (
    <PlainTable
      label="Findings"
      minWidth={340}
      rows={worstFirst}
      keyOf={({ check, found }) => `${check} ${found}`}
      columns={[
        {
          label: 'State',
          render: ({ status }) => <Mark color={marks[status].color}>{marks[status].label}</Mark>,
        },
        { label: 'Check', render: ({ check }) => check },
        {
          label: 'Finding',
          render: ({ found, advice }) => (
            <>
              {found}
              {advice && (
                <Text size="sm" fw={600} mt={4}>
                  {advice}
                </Text>
              )}
            </>
          ),
        },
      ]}
    />
  );
}
