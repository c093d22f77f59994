import '@mantine/charts/styles.css';
import { Anchor, Button, Text } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { Page, Section } from '../layout/page.tsx';
import { Empty, Failed, Loading } from '../layout/states.tsx';
import { type ChosenRange, useTimeRange } from '../layout/time-range.tsx';
import { useFilters } from '../layout/use-filters.ts';
import { type Grouping, groupings, keyLabel } from '../ledger/key-label.ts';
import { addUp, type MeasureName, measures, type UsageRow } from '../ledger/measures.ts';
import { RefusedSection, refusedFilter } from '../ledger/refused-section.tsx';
import { usageFilterNames } from '../ledger/usage-query.ts';
import { useTokenNames } from '../ledger/use-token-names.ts';
import { ExportMenu } from './export-menu.tsx';
import { MeasureTiles } from './measure-tiles.tsx';
import { UsageControls } from './usage-controls.tsx';
import { UsagePicture } from './usage-picture.tsx';
import { UsageTable } from './usage-table.tsx';
import { type UsageView, useUsageView } from './use-usage-view.ts';

/** The page of usage: figures over time in pictures, and a table of them by model, project, token, provider, owner or tag. */
export function Usage() {
  const range = useTimeRange('24h');
  const filters = useFilters(usageFilterNames);
  const display = useFilters(['by', 'show', 'compare']);
  const [query] = useSearchParams();
  const tokenName = useTokenNames();
  const by = groupingIn(display.values.by);
  const { show } = display.values;
  const chosen: MeasureName = Object.hasOwn(measures, show) ? (show as MeasureName) : 'spend';
  const compare = display.values.compare === '1';
  const view = useUsageView({ range, filters: filters.values, by, compare });
  const refused = refusedFilter({ ...range.span, ...filters.values });
  const labelOf = (row: Pick<UsageRow, 'key' | 'rest'>) => keyLabel(row, by, tokenName);
  return (
    <Page
      title="Usage"
      about="Spend, tokens, errors and latency of requests, and of the attempts at providers behind them."
      actions={
        <>
          <Button variant="default" size="xs" onClick={range.renew} loading={view.loading}>
            Refresh
          </Button>
          <ExportMenu
            {...{
              by,
              labelOf,
              table: view.table ?? [],
              series: view.series,
              span: view.span,
              filters: filters.values,
            }}
          />
        </>
      }
    >
      <UsageControls
        {...{ range, by, compare, filters, tokenName }}
        onGroup={name => display.set({ by: name === 'model' ? '' : name })}
        onCompare={on => display.set({ compare: on ? '1' : '' })}
      />
      {view.error ? (
        <Failed error={view.error} onRetry={view.retry} />
      ) : view.table === undefined ? (
        <Loading what="usage" />
      ) : view.table.length === 0 ? (
        <NoUsage range={range} filtered={filters.any} onClear={filters.clear} />
      ) : (
        <>
          <MeasureTiles
            sums={addUp(view.table)}
            before={view.before && addUp(view.before)}
            points={view.points}
            chosen={chosen}
            onChoose={name => display.set({ show: name === 'spend' ? '' : name })}
          />
          <UsagePicture {...{ view, chosen, labelOf, compare }} grouping={titleOf(by)} />
          <Section title={`By ${titleOf(by).toLowerCase()}`}>
            <UsageTable
              heading={titleOf(by)}
              rows={view.table}
              labelOf={labelOf}
              onFilter={key => filters.set(filterOf(by, key))}
              linkOf={row => requestsOf(row, by, query, view)}
            />
          </Section>
        </>
      )}
      {refused && <RefusedSection filter={refused} tokenName={tokenName} />}
    </Page>
  );
}

function NoUsage({ range, filtered, onClear }: { range: ChosenRange; filtered: boolean; onClear(): void }) {
  return (
    <Empty title="No usage in this period">
      {filtered && (
        <Text size="sm">
          <Anchor component="button" onClick={onClear}>
            Clear filters
          </Anchor>
        </Text>
      )}
      {range.range.preset !== '90d' && (
        <Text size="sm">
          <Anchor component="button" onClick={() => range.setRange({ preset: '90d' })}>
            Show the last 90 days
          </Anchor>
        </Text>
      )}
      Requests appear a second or two after they end. Send one from the{' '}
      <Anchor component={Link} to="/playground">
        Playground
      </Anchor>
      .
    </Empty>
  );
}

const tagPrefix = 'tag:';

function groupingIn(text: string): string {
  const isKnown = Object.hasOwn(groupings, text) || (text.startsWith(tagPrefix) && text.length > 4);
  return isKnown ? text : 'model';
}

function titleOf(by: string): string {
  return groupings[by as Grouping] ?? `Tag ${by.slice(tagPrefix.length)}`;
}

function filterOf(by: string, key: string): Record<string, string> {
  return by.startsWith(tagPrefix) ? { tag: `${by.slice(tagPrefix.length)}:${key}` } : { [by]: key };
}

/** Returns the page of the attempts of a row; undefined if no filter names them. */
function requestsOf(
  { key }: UsageRow,
  by: string,
  query: URLSearchParams,
  { span }: UsageView,
): string | undefined {
  if (!key) return undefined;
  const kept = [...query].filter(([name]) => usageFilterNames.some(known => known === name));
  const wanted = { ...Object.fromEntries(kept), ...span, ...filterOf(by, key) };
  return `/requests/history?${new URLSearchParams(wanted)}`;
}
