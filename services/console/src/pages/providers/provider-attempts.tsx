import { Anchor, Code, Group, Stack, Table, Text } from '@mantine/core';
import type { UsageEntry } from '@model-gateway/admin-api';
import { Link } from 'react-router';
import { factsOf, hasFailed } from '../catalog/attempts.ts';
import { LatencyChart } from '../catalog/latency-chart.tsx';
import { mostAttempts, recentMinutes, useAttempts } from '../catalog/use-attempts.ts';
import { formatMs, formatShare, formatTime } from '../layout/format.ts';
import { Section } from '../layout/section.tsx';
import { Failed, Loading } from '../layout/states.tsx';
import { WideTable } from '../layout/wide-table.tsx';
import { UpstreamWords } from '../ledger/attempt-table.tsx';

/** The most failures in the list. */
const mostShown = 10;

/** What happened at a provider lately: its latency, and its errors. */
export function ProviderAttempts({ name }: { name: string }) {
  const { attempts, error } = useAttempts({ provider: name });
  const filter = new URLSearchParams({ provider: name }).toString();
  return (
    <Section
      title={`The last ${recentMinutes} minutes`}
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
          No attempt in this time. Send a request to a model that uses this provider, or test it above.
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
        <Figure label="First token, median" value={firstMs ? formatMs(firstMs.median) : '–'} />
        <Figure label="First token, 95 of 100" value={firstMs ? formatMs(firstMs.p95) : '–'} />
      </Group>
      <LatencyChart attempts={attempts} />
      {failures.length === 0 ? (
        <Text size="sm" c="dimmed">
          No errors.
        </Text>
      ) : (
        <Failures failures={failures} />
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

function Failures({ failures }: { failures: readonly UsageEntry[] }) {
  return (
    <WideTable label="Recent errors" minWidth={640}>
      <Table aria-label="Recent errors">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Recent errors</Table.Th>
            <Table.Th>Error</Table.Th>
            <Table.Th>Provider&apos;s answer</Table.Th>
            <Table.Th>Model</Table.Th>
            <Table.Th>Request</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {failures.map(({ id, at, error, outcome, upstreamModel, requestId, ...answer }) => (
            <Table.Tr key={id}>
              <Table.Td>{formatTime(at)}</Table.Td>
              <Table.Td>
                <Code>{error ?? outcome}</Code>
              </Table.Td>
              <Table.Td maw={360} style={{ overflowWrap: 'anywhere' }}>
                <UpstreamWords attempt={answer} />
              </Table.Td>
              <Table.Td>{upstreamModel}</Table.Td>
              <Table.Td>
                <Anchor component={Link} to={`/requests/${encodeURIComponent(requestId)}`} size="sm">
                  {requestId.slice(0, 12)}…
                </Anchor>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
