import { Text } from '@mantine/core';
import { Section } from '../layout/page.tsx';
import { type Measure, type MeasureName, measures, tokenKinds, type UsageRow } from '../ledger/measures.ts';
import { nameOfKey, type Point } from './points.ts';
import { type ChartPart, UsageChart } from './usage-chart.tsx';
import type { UsageView } from './use-usage-view.ts';

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const stepNames = { minute: 'minute', hour: 'hour', day: 'day' };

/** The pictures of the chosen measure: by the keys of the grouping, or against the time before; of tokens by their kinds, too. */
export function UsagePicture({
  view,
  chosen,
  labelOf,
  compare,
  grouping,
}: {
  view: UsageView;
  chosen: MeasureName;
  labelOf(row: Pick<UsageRow, 'key' | 'rest'>): string;
  compare: boolean;
  grouping: string;
}) {
  const measure: Measure = measures[chosen];
  const { frame, points, pointsBefore, series } = view;
  const whole: ChartPart = { id: 'all', label: 'This period', valueAt: ({ all }) => measure.of(all) };
  const parts = compare ? [whole] : partsOf(series, measure, labelOf);
  const kind = compare ? 'compared with previous period' : `by ${grouping.toLowerCase()}`;
  const title = `${measure.label} ${kind}`;
  return (
    <>
      <Section title={title}>
        <UsageChart
          {...{ measure, points, parts, step: frame.step, label: title }}
          before={compare ? pointsBefore?.map(({ all }) => measure.of(all)) : undefined}
        />
        <Text size="xs" c="dimmed" mt={4}>
          {measure.about} Per {stepNames[frame.step]}, in {frame.step === 'day' ? 'UTC' : zone}.
        </Text>
      </Section>
      {chosen === 'tokens' && (
        <Section title="Tokens by kind">
          <UsageChart
            {...{ measure, points, step: frame.step, label: 'Tokens by kind', before: undefined }}
            parts={tokenKinds.map(({ name, of }) => ({
              ...{ id: name, label: name, valueAt: ({ all }: Point) => of(all) },
            }))}
          />
        </Section>
      )}
    </>
  );
}

/** Returns a part for each key of a series, those of the most first; the joined ones are the last. */
function partsOf(
  rows: readonly UsageRow[],
  measure: Measure,
  labelOf: (row: Pick<UsageRow, 'key' | 'rest'>) => string,
): ChartPart[] {
  const found = new Map<string, { row: UsageRow; cost: number; attempts: number }>();
  for (const row of rows) {
    const { cost = 0, attempts = 0 } = found.get(nameOfKey(row)) ?? {};
    found.set(nameOfKey(row), { row, cost: cost + row.cost, attempts: attempts + row.attempts });
  }
  const parts = [...found].toSorted(
    ([, a], [, b]) => Number(a.row.rest) - Number(b.row.rest) || b.cost - a.cost || b.attempts - a.attempts,
  );
  return parts.map(([id, { row }]) => ({
    id,
    label: labelOf(row),
    valueAt: ({ byKey }) => {
      const sums = byKey.get(id);
      return sums ? measure.of(sums) : measure.adds ? 0 : null;
    },
  }));
}
