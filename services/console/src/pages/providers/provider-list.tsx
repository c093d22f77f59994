import { Button, Group, Text } from '@mantine/core';
import type { ProviderInfo } from '@model-gateway/admin-api';
import { Link } from 'react-router';
import { type AttemptFacts, factsBy, recentMinutes, useAttempts } from '../catalog/attempts.ts';
import { useCatalogModels, useNamedRecords } from '../catalog/entry-lists.ts';
import { EntryName, ManagedBy } from '../catalog/entry-marks.tsx';
import { HealthBadge } from '../catalog/health-badge.tsx';
import { healthOfProvider, useHealth, worstOf } from '../catalog/use-health.ts';
import { FilterText } from '../layout/filter-text.tsx';
import { formatMs, formatShare } from '../layout/format.ts';
import { Page } from '../layout/page.tsx';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { useFilters } from '../layout/use-filters.ts';

/** The list of providers: their state, their latency, and the models that use them. */
export function ProviderList() {
  const { values, set, any, clear } = useFilters(['name']);
  const list = useNamedRecords<ProviderInfo>('listProviders', values.name);
  const columns = useColumns();
  return (
    <Page
      title="Providers"
      about={`The upstreams of the models. Figures are of the last ${recentMinutes} minutes.`}
      actions={
        <Button component={Link} to="/providers/new/provider" size="xs">
          Add a provider
        </Button>
      }
    >
      <Group>
        <FilterText label="Name" value={values.name} onChange={name => set({ name })} />
      </Group>
      <RecordTable
        label="Providers"
        list={list}
        columns={columns}
        keyOf={({ name }) => name}
        to={({ name }) => `/providers/${encodeURIComponent(name)}`}
        empty={
          any ? (
            <Empty title="No matching providers">
              <Button variant="default" size="xs" onClick={clear}>
                Clear filters
              </Button>
            </Empty>
          ) : (
            <Empty title="No providers yet">
              A provider is a server of models, such as a vendor's API or a vLLM of your own. Add one, then
              add a model that has it as its target.
            </Empty>
          )
        }
      />
    </Page>
  );
}

function useColumns(): Column<ProviderInfo>[] {
  const { report } = useHealth();
  const { attempts } = useAttempts();
  const models = useCatalogModels();
  const facts = attempts && factsBy(attempts, ({ provider }) => provider);
  const usedBy = (provider: string) =>
    models?.filter(({ targets }) => targets.some(target => target.provider === provider)).length;
  return [
    { label: 'Name', render: ({ name }) => <EntryName name={name} /> },
    {
      label: 'State',
      render({ name }) {
        const { keys, targets } = healthOfProvider(report, name);
        return <HealthBadge rest={worstOf([...keys, ...targets])} />;
      },
    },
    { label: 'Kind', render: ({ kind }) => kind },
    {
      label: 'Base URL',
      wideOnly: true,
      render: ({ baseUrl }) => (
        <Text size="sm" truncate maw={280} title={baseUrl ?? undefined}>
          {baseUrl ?? 'Vendor default'}
        </Text>
      ),
    },
    { label: 'Models', numeric: true, render: ({ name }) => usedBy(name) ?? '–' },
    ...attemptColumns<ProviderInfo>(facts && (({ name }) => facts.get(name))),
    { label: 'Managed by', wideOnly: true, render: entry => <ManagedBy {...entry} /> },
  ];
}

/** Columns for requests, failures and latency; dashes until they are known. */
function attemptColumns<Item>(
  factsOf: ((item: Item) => AttemptFacts | undefined) | undefined,
): Column<Item>[] {
  const known = (item: Item, show: (facts: AttemptFacts) => string) => {
    const facts = factsOf?.(item);
    return facts ? show(facts) : '–';
  };
  return [
    {
      label: 'Attempts',
      numeric: true,
      render: item => known(item, ({ attempts }) => attempts.toLocaleString('en-US')),
    },
    {
      label: 'Failed',
      numeric: true,
      render: item => known(item, ({ attempts, failed }) => formatShare(failed / attempts)),
    },
    {
      label: 'First token',
      numeric: true,
      wideOnly: true,
      render: item => known(item, ({ firstMs }) => (firstMs ? formatMs(firstMs.median) : '–')),
    },
  ];
}
