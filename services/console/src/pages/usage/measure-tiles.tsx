import { AreaChart } from '@mantine/charts';
import { Group, Paper, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import { formatShare } from '../layout/format.ts';
import {
  changeOf,
  type Measure,
  type MeasureName,
  measureNames,
  measures,
  type UsageSums,
} from '../ledger/measures.ts';
import classes from './measure-tiles.module.css';
import type { Point } from './points.ts';

/** A sparkline, not focusable. */
const bare = {
  withXAxis: false,
  withYAxis: false,
  withTooltip: false,
  withDots: false,
  accessibilityLayer: false,
  gridAxis: 'none',
  curveType: 'linear',
  fillOpacity: 0.15,
  strokeWidth: 1.5,
  areaProps: { isAnimationActive: false },
} as const;

/** The figures of a time, each with its course and its change against the previous period; one is shown in the picture below. */
export function MeasureTiles({
  sums,
  before,
  points,
  chosen,
  onChoose,
}: {
  sums: UsageSums;
  /** Undefined without a comparison. */
  before: UsageSums | undefined;
  points: readonly Point[];
  chosen: MeasureName;
  onChoose(name: MeasureName): void;
}) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 5 }} spacing="xs" verticalSpacing="xs">
      {measureNames.map(name => {
        const measure: Measure = measures[name];
        const value = measure.of(sums);
        return (
          <UnstyledButton
            key={name}
            className={classes.tile}
            aria-pressed={name === chosen}
            title={measure.about}
            onClick={() => onChoose(name)}
          >
            <Paper withBorder p="xs" h="100%" className={classes.frame}>
              <Text size="xs" c="dimmed">
                {measure.label}
              </Text>
              <Group gap={6} align="baseline" wrap="nowrap">
                <Text fw={650} size="lg" className={classes.value}>
                  {value === null ? '–' : measure.format(value)}
                </Text>
                {before && <Change measure={measure} change={changeOf(value, measure.of(before))} />}
              </Group>
              <AreaChart
                h={28}
                data={points.map(({ at, all }) => ({ at, value: measure.of(all) }))}
                dataKey="at"
                series={[{ name: 'value', color: name === chosen ? 'indigo.6' : 'gray.5' }]}
                {...bare}
                aria-hidden
              />
            </Paper>
          </UnstyledButton>
        );
      })}
    </SimpleGrid>
  );
}

function Change({ measure: { better }, change }: { measure: Measure; change: number | null }) {
  if (change === null) return null;
  const isGood = better && change !== 0 && (better === 'more') === change > 0;
  const color = !better || change === 0 ? 'dimmed' : isGood ? 'green.8' : 'red.8';
  const text = `${change > 0 ? '+' : ''}${formatShare(change)}`;
  return (
    <Text size="xs" c={color} className={classes.change} aria-label={`${text} compared with previous period`}>
      {text}
    </Text>
  );
}
