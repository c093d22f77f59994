import { Button, Code, Group, Select } from '@mantine/core';
import {
  type AuditEntry,
  actorKinds,
  type Endpoint,
  type EndpointName,
  endpoints,
  subjectKinds,
} from '@model-gateway/admin-api';
import { useLocation } from 'react-router';
import { FilterText } from '../layout/filter-text.tsx';
import { Page } from '../layout/page.tsx';
import { useRecords } from '../layout/reading.ts';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { Time } from '../layout/time.tsx';
import { TimeRangeField, useTimeRange } from '../layout/time-range.tsx';
import { type Filters, useFilters } from '../layout/use-filters.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { actionInWords, knownActions } from './action-words.ts';
import { differences } from './difference.ts';
import { EntryDrawer } from './entry-drawer.tsx';

const filterNames = ['actor', 'actorKind', 'action', 'subjectKind', 'subject', 'project'] as const;
type FilterName = (typeof filterNames)[number];

/** The events of the audit log, newest first: those of all projects for admins, and of their projects for managers. */
export function Audit() {
  const { session } = useSession();
  const filters = useFilters(filterNames);
  const chosen = useTimeRange('any');
  const query = { ...filters.values, ...chosen.span };
  const list = useRecords<AuditEntry>('listAudit', { query });
  const { search } = useLocation();
  const filtered = filters.any || Object.keys(chosen.span).length > 0;
  return (
    <Page
      title="Audit log"
      about={
        session?.role === 'admin'
          ? 'Who changed what, and when. Events are never changed or removed.'
          : 'Who changed what, and when, in the projects that you manage.'
      }
      actions={may(session, 'exportAudit') && <ExportLinks name="exportAudit" query={query} />}
    >
      <Group gap="xs" align="flex-end">
        <TimeRangeField chosen={chosen} />
        <FilterFields filters={filters} />
        {filtered && (
          <Button
            size="xs"
            variant="subtle"
            onClick={() => {
              chosen.setRange({ preset: 'any' });
              filters.clear();
            }}
          >
            Clear filters
          </Button>
        )}
      </Group>
      <RecordTable
        label="Events"
        list={list}
        columns={columns}
        keyOf={({ id }) => String(id)}
        to={entry => linkTo(entry, search)}
        empty={
          <Empty title={filtered ? 'No matching events' : 'No events yet'}>
            {filtered ? 'Names of users, projects and resources must match exactly.' : null}
          </Empty>
        }
      />
      <EntryDrawer loaded={list.records} />
    </Page>
  );
}

function FilterFields({ filters: { values, set } }: { filters: Filters<FilterName> }) {
  const choice = (name: FilterName, label: string, data: readonly string[], w = 120) => (
    <Select
      size="xs"
      w={w}
      label={label}
      placeholder="Any"
      clearable
      searchable
      data={[...data]}
      value={values[name] || null}
      onChange={value => set({ [name]: value ?? '' })}
    />
  );
  const text = (name: FilterName, label: string) => (
    <FilterText label={label} w={130} value={values[name]} onChange={value => set({ [name]: value })} />
  );
  return (
    <>
      {text('actor', 'Actor')}
      {choice('actorKind', 'Actor type', actorKinds)}
      {choice('action', 'Action', knownActions, 160)}
      {choice('subjectKind', 'Resource type', subjectKinds)}
      {text('subject', 'Resource')}
      {text('project', 'Project')}
    </>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  { label: 'Time', render: ({ at }) => <Time at={at} /> },
  {
    label: 'Actor',
    render: ({ actor, actorKind }) => (actorKind === 'account' ? `${actor} (service account)` : actor),
  },
  { label: 'Action', render: ({ action }) => actionInWords(action) },
  { label: 'Resource', render: ({ subject }) => subject },
  { label: 'Project', render: ({ project }) => project ?? '–', wideOnly: true },
  { label: 'Changed', render: entry => <ChangedFields entry={entry} />, wideOnly: true },
];

/** The most fields that a row names. */
const namedFields = 3;

function ChangedFields({ entry: { before, after } }: { entry: AuditEntry }) {
  if (!before || !after) return before ? 'deleted' : after ? 'created' : '–';
  const paths = differences(before, after).map(({ path }) => path);
  if (paths.length === 0) return 'no change';
  const more = paths.length - namedFields;
  return (
    <>
      {paths.slice(0, namedFields).map(path => (
        <Code key={path} mr={4}>
          {path}
        </Code>
      ))}
      {more > 0 && `and ${more} more`}
    </>
  );
}

/** The address of the same list with an entry opened. The time finds the entry in a list that has not come to it yet. */
function linkTo({ id, at }: AuditEntry, search: string): string {
  const query = new URLSearchParams(search);
  query.set('entry', String(id));
  query.set('at', at);
  return `?${query}`;
}

/** Links that export a list with its filter, as CSV and as lines of JSON. Empty values of `query` are left out. */
function ExportLinks({ name, query }: { name: EndpointName; query: Record<string, string | undefined> }) {
  const { path }: Endpoint = endpoints[name];
  const filter = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return (['csv', 'jsonl'] as const).map(format => (
    <Button
      key={format}
      component="a"
      download
      variant="default"
      size="compact-sm"
      href={`${path}?${new URLSearchParams([...filter, ['format', format]])}`}
    >
      Export as {format === 'csv' ? 'CSV' : 'JSON lines'}
    </Button>
  ));
}
