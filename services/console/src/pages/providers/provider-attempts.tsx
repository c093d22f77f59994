import { Anchor, Box, Code, Group, Stack, Text } from '@mantine/core';
import type { UsageEntry } from '@model-gateway/admin-api';
import { Link } from 'react-router';
import { factsOf, hasFailed, mostAttempts, recentMinutes, useAttempts } from '../catalog/attempts.ts';
import { LatencyChart } from '../catalog/latency-chart.tsx';
import { formatMs, formatShare, formatTime } from '../layout/format.ts';
import { Section } from '../layout/page.tsx';
import { PlainTable } from '../layout/plain-table.tsx';
import type { Column } from '../layout/record-table.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { UpstreamWords } from '../ledger/attempt-table.tsx';

/** The most failures in the list. */
const mostShown = 10;

/** The recent attempts at a provider: their latency, and the errors. */
export function ProviderAttempts({ name }: { name: string }) {
  const { attempts, error } = useAttempts({ provider: name });
  const filter = new URLSearchParams({ provider: name }).toString();
  return (
    <Section
      title={`Last ${recentMinutes} minutes`}
      actions={
        <>
          <Anchor component={Link} to={`/requests?${filter}`} size="sm">
            Requests
          </Anchor>
          <Anchor component={Link} to={`/usage?${filter}`} size="sm">
            Usage
          </Anchor>
        </>
      }
    >
      {error ? <Failed error={error} /> : !attempts && <Loading what="attempts" />}
      {attempts && attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          No attempts. Send a request to a model that uses this provider, or test it above.
        </Text>
      )}
      {attempts && attempts.length > 0 && <Recent attempts={attempts} />}
    </Section>
  );
}

function Recent({ attempts }: { attempts: readonly UsageEntry[] }) {
  const { attempts: count, failed, firstMs } = factsOf(attempts);
  const failures = attempts.filter(hasFailed).slice(0, mostShown);
  return (
    <Stack gap="sm">
      <Group gap="xl">
        <Figure label="Attempts" value={count === mostAttempts ? `the last ${count}` : String(count)} />
        <Figure label="Failed" value={`${failed} (${formatShare(failed / count)})`} />
        <Figure label="First token (p50)" value={firstMs ? formatMs(firstMs.median) : '–'} />
        <Figure label="First token (p95)" value={firstMs ? formatMs(firstMs.p95) : '–'} />
      </Group>
      <LatencyChart attempts={attempts} />
      {failures.length === 0 ? (
        <Text size="sm" c="dimmed">
          No errors.
        </Text>
      ) : (
        <PlainTable
          label="Recent errors"
          minWidth={640}
          rows={failures}
          columns={failureColumns}
          keyOf={({ id }) => id}
        />
      )}
    </Stack>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={600}>{value}</Text>
    </div>
  );
}

const failureColumns: readonly Column<UsageEntry>[] = [
  { label: 'Time', render: ({ at }) => formatTime(at) },
  { label: 'Error', render: ({ error, outcome }) => <Code>{error ?? outcome}</Code> },
  {
    label: 'Provider response',
    render: attempt => (
      <Box maw={360} style={{ overflowWrap: 'anywhere' }}>
        <UpstreamWords attempt={attempt} />
      </Box>
    ),
  },
  { label: 'Model', render: ({ upstreamModel }) => upstreamModel },
  {
    label: 'Request',
    render: ({ requestId }) => (
      <Anchor component={Link} to={`/requests/${encodeURIComponent(requestId)}`} size="sm">
        {requestId.slice(0, 12)}…
      </Anchor>
    ),
  },
];
