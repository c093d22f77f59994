import { Button, Code, Group } from '@mantine/core';
import type { TokenInfo } from '@model-gateway/admin-api';
import { useState } from 'react';
import { Link } from 'react-router';
import { formatTime } from '../layout/format.ts';
import { Page } from '../layout/page.tsx';
import { useRecords } from '../layout/reading.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { filterNames, queryOf, TokenFilterBar } from './token-filters.tsx';
import { StateBadge, stateOf } from './token-state.tsx';

/** The list of tokens that the user may see. */
export function TokenList() {
  const { session } = useSession();
  const filters = useFilters(filterNames);
  const [now] = useState(Date.now);
  const list = useRecords<TokenInfo>('listTokens', { query: queryOf(filters.values, now) });
  const mayCreate = may(session, 'createToken');
  const create = (
    <Button component={Link} to="/tokens/new" size="sm">
      Create a token
    </Button>
  );
  return (
    <Page
      title="Tokens"
      about="Clients send a token with each request. It decides what they may use, and how much."
      actions={mayCreate && create}
    >
      <TokenFilterBar filters={filters} />
      <RecordTable
        label="Tokens"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/tokens/${encodeURIComponent(id)}`}
        empty={
          filters.any ? (
            <Empty title="No matching tokens">
              <Button variant="default" size="xs" onClick={filters.clear}>
                Clear filters
              </Button>
            </Empty>
          ) : (
            <Empty title="No tokens yet">
              {mayCreate
                ? 'Create one to get its secret and examples of how to use it.'
                : 'Ask a member or the manager of the project to create one.'}
            </Empty>
          )
        }
      />
    </Page>
  );
}

const columns: Column<TokenInfo>[] = [
  { label: 'Name', render: ({ name }) => name },
  { label: 'State', render: token => <StateBadge state={stateOf(token, Date.now())} /> },
  { label: 'Project', render: ({ project }) => project },
  { label: 'Owner', render: ({ owner }) => owner ?? '–', wideOnly: true },
  { label: 'Secret', render: ({ prefix }) => <Code>{prefix}…</Code>, wideOnly: true },
  { label: 'Tags', render: ({ tags }) => <Tags tags={tags} />, wideOnly: true },
  { label: 'Last used', render: ({ lastUsedAt }) => (lastUsedAt ? formatTime(lastUsedAt) : 'Never') },
  {
    label: 'Expires',
    render: ({ expiresAt }) => (expiresAt ? formatTime(expiresAt) : 'Never'),
    wideOnly: true,
  },
];

/** Tags as `name:value`, as the filter takes them. */
export function Tags({ tags }: { tags: Record<string, string> }) {
  const all = Object.entries(tags);
  if (all.length === 0) return '–';
  return (
    <Group gap={4}>
      {all.map(([name, value]) => (
        <Code key={name}>{`${name}:${value}`}</Code>
      ))}
    </Group>
  );
}
