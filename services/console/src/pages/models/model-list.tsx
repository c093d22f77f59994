import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import type { ModelInfo, ModelPrice } from '@model-gateway/admin-api';
import { Link } from 'react-router';
import { useNamedRecords } from '../catalog/entry-lists.ts';
import { EntryName, ManagedBy } from '../catalog/entry-marks.tsx';
import { HealthBadge } from '../catalog/health-badge.tsx';
import { useHealth, worstOf } from '../catalog/use-health.ts';
import { FilterText } from '../layout/filter-text.tsx';
import { formatCount, formatMoney } from '../layout/format.ts';
import { Page } from '../layout/page.tsx';
import { type Column, RecordTable } from '../layout/record-table.tsx';
import { Empty } from '../layout/states.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { usePrices } from './model-prices.tsx';

/** The list of models: what they can do, where they are served, and what they cost. */
export function ModelList() {
  const { session } = useSession();
  const { values, set, any, clear } = useFilters(['name', 'operation']);
  const all = useNamedRecords<ModelInfo>('listCatalogModels', values.name);
  const { operation } = values;
  const list = operation
    ? { ...all, records: all.records.filter(({ operations }) => operations.includes(operation)) }
    : all;
  const columns = useColumns();
  const mayAdd = may(session, 'setModel');
  return (
    <Page
      title="Models"
      about="The names that clients request, and where they are served. Prices are per million tokens."
      actions={
        mayAdd && (
          <Button component={Link} to="/models/new/model" size="xs">
            Add a model
          </Button>
        )
      }
    >
      <Group align="flex-end">
        <FilterText label="Name" value={values.name} onChange={name => set({ name })} />
        <SegmentedControl
          size="xs"
          aria-label="Operation"
          value={operation}
          onChange={chosen => set({ operation: chosen })}
          data={[
            { value: '', label: 'All' },
            { value: 'generate', label: 'Text' },
            { value: 'embed', label: 'Embeddings' },
          ]}
        />
      </Group>
      <RecordTable
        label="Models"
        list={list}
        columns={columns}
        keyOf={({ name }) => name}
        to={({ name }) => `/models/${encodeURIComponent(name)}`}
        empty={
          any ? (
            <Empty title="No matching models">
              <Button variant="default" size="xs" onClick={clear}>
                Clear filters
              </Button>
            </Empty>
          ) : (
            <Empty title="No models yet">
              {mayAdd
                ? 'A model is a name that clients request, with one or more targets at providers. Add a provider first.'
                : 'Ask an admin of the gateway to add one.'}
            </Empty>
          )
        }
      />
    </Page>
  );
}

function useColumns(): Column<ModelInfo>[] {
  const { report, visible } = useHealth();
  const { prices } = usePrices();
  const priceOf = ({ name }: ModelInfo) => prices?.find(({ model }) => model === name)?.price;
  const state: Column<ModelInfo> = {
    label: 'State',
    render({ name }) {
      const targets = report?.models.find(model => model.name === name)?.targets ?? [];
      return <HealthBadge rest={worstOf(targets)} />;
    },
  };
  return [
    { label: 'Name', render: ({ name }) => <EntryName name={name} /> },
    ...(visible ? [state] : []),
    { label: 'Targets', render: model => <Targets model={model} /> },
    {
      label: 'Operations',
      wideOnly: true,
      render: ({ operations }) => <Operations operations={operations} />,
    },
    {
      label: 'Context',
      numeric: true,
      wideOnly: true,
      render: ({ limits }) => (limits.context ? formatCount(limits.context) : '–'),
    },
    {
      label: 'Price in / out',
      numeric: true,
      render: model => priceText(priceOf(model)),
    },
    { label: 'Managed by', wideOnly: true, render: entry => <ManagedBy {...entry} /> },
  ];
}

function Operations({ operations }: Pick<ModelInfo, 'operations'>) {
  const text = operations.join(', ');
  return (
    <Text size="sm" truncate maw={220} title={text}>
      {text}
    </Text>
  );
}

function Targets({ model: { targets } }: { model: ModelInfo }) {
  const [first] = targets;
  const all = targets.map(({ provider, model }) => `${provider} / ${model}`).join('\n');
  return (
    <Text size="sm" truncate maw={{ base: 180, sm: 260 }} title={all}>
      {first ? `${first.provider} / ${first.model}` : 'none'}
      {targets.length > 1 && ` and ${targets.length - 1} more`}
    </Text>
  );
}

function priceText(price: ModelPrice['price'] | undefined): string {
  if (!price || (price.input === undefined && price.output === undefined)) return '–';
  return `${formatMoney(price.input ?? null)} / ${formatMoney(price.output ?? null)}`;
}
