import { Anchor, Button, Group, Select, Text } from '@mantine/core';
import { usageOutcomes } from '@model-gateway/admin-api';
import { type ReactNode, useMemo } from 'react';
import { FilterText } from '../layout/filter-text.tsx';
import { formatCount, formatMoney, formatMs } from '../layout/format.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { Time } from '../layout/time.tsx';
import { TimeRangeField, useTimeRange } from '../layout/time-range.tsx';
import { type Filters, useFilters } from '../layout/use-filters.ts';
import { FilterSelect } from '../ledger/filter-select.tsx';
import { type Grouping, groupings } from '../ledger/key-label.ts';
import { OutcomeBadge } from '../ledger/outcome-badge.tsx';
import { usageFilterNames } from '../ledger/usage-query.ts';
import { useTokenNames } from '../ledger/use-token-names.ts';
import type { PastRequest } from './attempts.ts';
import type { HistoryRow } from './history-list.ts';
import { requestLink } from './history-list.ts';
import { Failovers } from './live.tsx';
import { refusedOutcome, useHistory } from './use-history.ts';

const filterNames = [...usageFilterNames, 'outcome', 'error', 'endedBy', 'request'] as const;
type FilterName = (typeof filterNames)[number];

/** The requests of the past, newest first, with filters that the URL holds. */
export function History() {
  const range = useTimeRange('24h');
  const filters = useFilters(filterNames);
  const tokenName = useTokenNames();
  const list = useHistory(range.span, filters.values);
  const columns = useMemo(() => columnsWith(tokenName), [tokenName]);
  return (
    <>
      <Group gap="xs" align="flex-end" role="group" aria-label="Filters">
        <TimeRangeField chosen={range} />
        {(Object.keys(groupings) as Grouping[]).map(name => (
          <FilterSelect
            key={name}
            label={groupings[name]}
            by={name}
            span={range.span}
            filters={pick(filters)}
            {...(name === 'token' && { labelOf: tokenName })}
            onChange={value => filters.set({ [name]: value })}
          />
        ))}
        <OtherFilters filters={filters} />
        <Button variant="default" size="xs" onClick={range.renew}>
          Refresh
        </Button>
        {filters.any && (
          <Button variant="subtle" size="xs" onClick={filters.clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <RecordTable
        label="Request history"
        list={list}
        columns={columns}
        keyOf={row => `${row.kind} ${idOf(row)}`}
        to={row => requestLink(idOf(row), row.kind === 'asked' ? row.request.last : row.refused)}
        empty={
          <Empty title="No matching requests">
            <Text size="sm">
              Requests appear a few seconds after they end. Of those that the gateway refused, a few of each
              minute are listed; Usage counts all.{' '}
              {range.range.preset !== 'any' && (
                <Anchor component="button" size="sm" onClick={() => range.setRange({ preset: 'any' })}>
                  Search all time
                </Anchor>
              )}
            </Text>
          </Empty>
        }
      />
    </>
  );
}

/** The filters that sums over time know, too. */
function pick({ values }: Filters<FilterName>) {
  return Object.fromEntries(usageFilterNames.map(name => [name, values[name]]));
}

function OtherFilters({ filters }: { filters: Filters<FilterName> }) {
  const { values, set } = filters;
  return (
    <>
      <Select
        label="Outcome"
        size="xs"
        w={120}
        placeholder="All"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear Outcome' }}
        data={[...usageOutcomes, refusedOutcome]}
        value={values.outcome || null}
        onChange={outcome => set({ outcome: outcome ?? '' })}
      />
      <FilterText
        label="Tag"
        placeholder="team:search"
        w={120}
        value={values.tag}
        onChange={tag => set({ tag: tag.includes(':') ? tag : '' })}
      />
      <FilterText
        label="Error"
        placeholder="timeout"
        w={110}
        value={values.error}
        onChange={error => set({ error })}
      />
      <FilterText
        label="Ended by"
        placeholder="A user's name"
        w={120}
        value={values.endedBy}
        onChange={endedBy => set({ endedBy })}
      />
      <FilterText
        label="Request ID"
        placeholder="req_…"
        w={190}
        value={values.request}
        onChange={request => set({ request })}
      />
    </>
  );
}

function idOf(row: HistoryRow): string {
  return row.kind === 'asked' ? row.request.requestId : row.refused.requestId;
}

/** Returns the error of a row: its kind with the status, and the code of one that the gateway refused. */
function errorOf(row: HistoryRow): string {
  if (row.kind === 'refused') {
    const { reason, status, code } = row.refused;
    return [reason, status, code && code !== reason ? `(${code})` : ''].filter(Boolean).join(' ');
  }
  const { error, upstreamStatus } = row.request.last;
  return [error, upstreamStatus].filter(Boolean).join(' ') || '–';
}

function columnsWith(tokenName: (id: string) => string): Column<HistoryRow>[] {
  const asked =
    (render: (request: PastRequest) => ReactNode) =>
    (row: HistoryRow): ReactNode =>
      row.kind === 'asked' ? render(row.request) : '–';
  const token = (row: HistoryRow) => (row.kind === 'asked' ? row.request.last.token : row.refused.token);
  return [
    {
      label: 'Started',
      render: row => (
        <Time at={row.kind === 'asked' ? (row.request.attempts[0]?.at ?? null) : row.refused.at} />
      ),
    },
    {
      label: 'Outcome',
      render: row =>
        row.kind === 'refused' ? (
          <OutcomeBadge outcome={refusedOutcome} />
        ) : (
          <Group gap={6} wrap="nowrap">
            <OutcomeBadge {...row.request.last} />
            {row.request.failovers > 0 && <Failovers count={row.request.failovers} />}
          </Group>
        ),
    },
    { label: 'Error', render: row => <ErrorText text={errorOf(row)} title={messageOf(row)} /> },
    {
      label: 'Model',
      render: row => (row.kind === 'asked' ? row.request.last.model : row.refused.model) || '–',
    },
    { label: 'Provider', render: asked(({ last }) => last.provider), wideOnly: true },
    {
      label: 'Token',
      wideOnly: true,
      render: row => {
        const id = token(row);
        return id === null ? '–' : tokenName(id);
      },
    },
    { label: 'Duration', numeric: true, render: asked(({ ms }) => formatMs(ms)) },
    {
      label: 'First token',
      numeric: true,
      wideOnly: true,
      render: asked(({ last: { firstMs } }) => (firstMs === null ? '–' : formatMs(firstMs))),
    },
    {
      label: 'Tokens',
      numeric: true,
      wideOnly: true,
      render: asked(({ input, output, last }) =>
        last.usage ? `${formatCount(input)} + ${formatCount(output)}` : '–',
      ),
    },
    { label: 'Cost', numeric: true, render: asked(({ cost }) => formatMoney(cost)) },
  ];
}

/** Returns what the provider said of a failure. */
function messageOf(row: HistoryRow): string | undefined {
  return row.kind === 'asked' ? (row.request.last.upstreamMessage ?? undefined) : undefined;
}

function ErrorText({ text, title }: { text: string; title: string | undefined }) {
  return (
    <Text size="sm" title={title} truncate maw={220}>
      {text}
    </Text>
  );
}
