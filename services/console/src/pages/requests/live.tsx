import { Alert, Badge, Button, Group, Select, Text, Tooltip } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { runningStates } from '@model-gateway/admin-api';
import { useMemo, useState } from 'react';
import { FilterText } from '../layout/filter-text.tsx';
import { formatBytes, formatMoney, formatMs, formatTime } from '../layout/format.ts';
import { Mark } from '../layout/mark.tsx';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty, Failed } from '../layout/states.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { LiveBadge } from '../ledger/outcome-badge.tsx';
import { toProblem } from '../problem.ts';
import { EndRequest } from './end-request.tsx';
import { requestLink } from './history-list.ts';
import { ageOf, type LiveRequest, type LiveRequests, newestFirst } from './live-requests.ts';
import { type Connection, useLiveRequests } from './use-live-requests.ts';

const filterNames = ['project', 'model', 'provider', 'owner', 'state'] as const;

/** The requests in flight as they appear, change and end. */
export function Live() {
  const filters = useFilters(filterNames);
  const query = Object.fromEntries(Object.entries(filters.values).filter(([, value]) => value));
  const { live, connection, unanswered, again } = useLiveRequests(query);
  const [held, setHeld] = useState<LiveRequests | null>(null);
  const shown = held ?? live;
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  const records = useMemo(() => newestFirst(shown), [shown]);
  const running = records.filter(({ end }) => !end).length;
  const columns = useMemo(() => columnsAt(held ? 0 : now), [held, now]);
  if (connection.state === 'refused') return <Failed error={connection.error} onRetry={again} />;
  return (
    <>
      <Group gap="xs" align="flex-end" role="group" aria-label="Filters">
        {filterNames.slice(0, 4).map(name => (
          <FilterText
            key={name}
            label={`${name[0]?.toUpperCase()}${name.slice(1)}`}
            placeholder="All"
            w={140}
            value={filters.values[name]}
            onChange={value => filters.set({ [name]: value })}
          />
        ))}
        <Select
          label="State"
          size="xs"
          w={120}
          placeholder="All"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear State' }}
          data={[...runningStates]}
          value={filters.values.state || null}
          onChange={state => filters.set({ state: state ?? '' })}
        />
        <Button
          size="xs"
          variant={held ? 'filled' : 'default'}
          onClick={() => setHeld(held ? null : live)}
          aria-pressed={held !== null}
        >
          {held ? 'Continue' : 'Pause'}
        </Button>
        <Standing connection={connection} paused={held !== null} running={running} />
      </Group>
      <Warnings connection={connection} missed={live.missed} unanswered={unanswered} />
      <RecordTable
        label="Requests in flight"
        list={{ ...noPages, records, loading: connection.state === 'opening' && records.length === 0 }}
        columns={columns}
        keyOf={({ request }) => request.requestId}
        to={({ request }) => requestLink(request.requestId, request)}
        empty={
          <Empty title="No requests in flight">
            Requests appear here as they arrive, and stay after they end while this page is open.
          </Empty>
        }
      />
    </>
  );
}

/** All that is known is loaded. */
const noPages = {
  ...{ error: null, more: false, loadingMore: false },
  loadMore: () => {},
  reload: () => {},
};

function columnsAt(now: number): Column<LiveRequest>[] {
  return [
    { label: 'Started', render: ({ request }) => formatTime(request.at).split(', ').at(-1) },
    { label: 'State', render: LiveBadge },
    { label: 'Model', render: ({ request }) => request.model || '–' },
    { label: 'Token', render: ({ request }) => request.tokenName, wideOnly: true },
    { label: 'Project', render: ({ request }) => request.project, wideOnly: true },
    {
      label: 'Provider',
      wideOnly: true,
      render: ({ request: { provider, failovers } }) => (
        <Group gap={6} wrap="nowrap">
          {provider ?? '–'}
          {failovers > 0 && <Failovers count={failovers} />}
        </Group>
      ),
    },
    { label: 'Duration', numeric: true, render: entry => formatMs(ageOf(entry, now)) },
    {
      label: 'First token',
      numeric: true,
      wideOnly: true,
      render: ({ request: { firstMs } }) => (firstMs === null ? '–' : formatMs(firstMs)),
    },
    {
      label: 'Response size',
      numeric: true,
      wideOnly: true,
      render: ({ request }) => formatBytes(request.answerBytes),
    },
    { label: 'Cost', numeric: true, wideOnly: true, render: ({ end }) => formatMoney(end?.cost ?? null) },
    { label: 'End', render: ({ request, end }) => (end ? null : <EndRequest request={request} />) },
  ];
}

/** The number of attempts that failed before the one that is shown. */
export function Failovers({ count }: { count: number }) {
  const text = count === 1 ? '1 failover' : `${count} failovers`;
  return (
    <Tooltip label="An attempt failed, and another one was made.">
      <Mark color="orange">{text}</Mark>
    </Tooltip>
  );
}

function Standing({
  connection,
  paused,
  running,
}: {
  connection: Connection;
  paused: boolean;
  running: number;
}) {
  const states = {
    ...{ opening: 'Connecting', lost: 'Connection lost', refused: 'Refused' },
    open: paused ? 'Paused' : 'Live',
  };
  const color = connection.state !== 'open' ? 'yellow' : paused ? 'gray' : 'green';
  return (
    <Group gap="xs" mb={5} role="status">
      <Badge color={color} variant="dot" tt="none">
        {states[connection.state]}
      </Badge>
      <Text size="xs" c="dimmed">
        {running.toLocaleString()} in flight
      </Text>
    </Group>
  );
}

function Warnings({
  connection,
  missed,
  unanswered,
}: {
  connection: Connection;
  missed: number;
  unanswered: readonly string[];
}) {
  return (
    <>
      {connection.state === 'lost' && (
        <Alert color="yellow" title="Connection to the gateway lost">
          {toProblem(connection.error).facts.status ? `${toProblem(connection.error).message} ` : ''}
          Reconnecting. The list below may be out of date.
        </Alert>
      )}
      {missed > 0 && (
        <Alert color="yellow" title={`${missed.toLocaleString()} updates were skipped`}>
          There were too many at once. Filter by project or model to see each; the history has all requests.
        </Alert>
      )}
      {unanswered.length > 0 && (
        <Alert color="yellow" title="Some processes did not respond">
          Earlier requests of {unanswered.join(', ')} may be missing.
        </Alert>
      )}
    </>
  );
}
