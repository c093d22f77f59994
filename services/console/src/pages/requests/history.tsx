import { Anchor, Button, Group, Select, Text } from '@mantine/core';
import { type UsageEntry, usageOutcomes } from '@model-gateway/admin-api';
import { useMemo, useState } from 'react';
import { FilterText } from '../layout/filter-text.tsx';
import { formatCount, formatMoney, formatMs } from '../layout/format.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { Time } from '../layout/time.tsx';
import { TimeRangeField, useTimeRange } from '../layout/time-range.tsx';
import { type Filters, useFilters } from '../layout/use-filters.ts';
import { useRecords } from '../layout/use-records.ts';
import { FilterSelect } from '../usage/filter-select.tsx';
import { type Grouping, groupings } from '../usage/key-label.ts';
import { usageFilterNames } from '../usage/usage-query.ts';
import { useTokenNames } from '../usage/use-token-names.ts';
import { JoinedRequests, type PastRequest } from './attempts.ts';
import { Failovers } from './live.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { requestLink } from './request-link.ts';

const filterNames = [...usageFilterNames, 'outcome', 'error', 'endedBy', 'request'] as const;
type FilterName = (typeof filterNames)[number];

/** Attempts in a page of the list. */
const pageSize = '200';

/** The requests of the past that reached a model, newest first, with filters that the URL holds. */
export function History() {
  const range = useTimeRange('24h');
  const filters = useFilters(filterNames);
  const tokenName = useTokenNames();
  const list = useRecords<UsageEntry>('listUsage', {
    query: { ...range.span, ...filters.values, limit: pageSize },
  });
  const [requests] = useState(() => new JoinedRequests());
  const records = useMemo(() => requests.update(list.records), [requests, list.records]);
  const columns = useMemo(() => columnsWith(tokenName), [tokenName]);
  return (
    <>
      <Group gap="xs" align="flex-end" role="group" aria-label="What is shown">
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
        label="Requests of the past"
        list={{ ...list, records }}
        columns={columns}
        keyOf={({ requestId }) => requestId}
        to={({ requestId, last }) => requestLink(requestId, last)}
        empty={
          <Empty title="No request is found">
            <Text size="sm">
              Requests are here a second or two after their end, if they reached a provider.{' '}
              {range.range.preset !== 'any' && (
                <Anchor component="button" size="sm" onClick={() => range.setRange({ preset: 'any' })}>
                  Look at any time
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
        data={[...usageOutcomes]}
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
        label="Request id"
        placeholder="req_…"
        w={190}
        value={values.request}
        onChange={request => set({ request })}
      />
    </>
  );
}

function columnsWith(tokenName: (id: string) => string): Column<PastRequest>[] {
  return [
    {
      label: 'Started',
      render: ({ attempts: [first] }) => <Time at={first?.at ?? null} />,
    },
    {
      label: 'Outcome',
      render: ({ last, failovers }) => (
        <Group gap={6} wrap="nowrap">
          <OutcomeBadge {...last} />
          {failovers > 0 && <Failovers count={failovers} />}
        </Group>
      ),
    },
    { label: 'Model', render: ({ last }) => last.model },
    { label: 'Provider', render: ({ last }) => last.provider, wideOnly: true },
    { label: 'Token', render: ({ last }) => tokenName(last.token), wideOnly: true },
    { label: 'Time', numeric: true, render: ({ ms }) => formatMs(ms) },
    {
      label: 'First token',
      numeric: true,
      wideOnly: true,
      render: ({ last: { firstMs } }) => (firstMs === null ? '–' : formatMs(firstMs)),
    },
    {
      label: 'Tokens',
      numeric: true,
      wideOnly: true,
      render: ({ input, output }) => `${formatCount(input)} + ${formatCount(output)}`,
    },
    { label: 'Cost', numeric: true, render: ({ cost }) => formatMoney(cost) },
  ];
}
