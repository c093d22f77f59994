import { AreaChart, BarChart, LineChart } from '@mantine/charts';
import { Group, Text } from '@mantine/core';
import type { Measure } from '../ledger/measures.ts';
import type { PictureStep, Point } from './points.ts';
import classes from './usage-chart.module.css';

/** A line or a part of a picture: its values at the points. */
export interface ChartPart {
  /** Names it among the parts. */
  id: string;
  label: string;
  valueAt(point: Point): number | null;
}

const colors = ['indigo.6', 'teal.6', 'orange.6', 'grape.6', 'cyan.7', 'yellow.7', 'pink.6', 'lime.8'];
/** More bars than these cannot be told from one another. */
const mostBars = 60;
/** Up to so many points with values are marked with dots, if the others have none. */
const mostDots = 40;

/** A picture of one measure over time. Parts that add up are stacked; means are lines. `before` is the previous period, as a dashed line. */
export function UsageChart({
  measure,
  points,
  before,
  parts,
  step,
  label,
}: {
  measure: Pick<Measure, 'format' | 'adds'>;
  points: readonly Point[];
  before: readonly (number | null)[] | undefined;
  parts: readonly ChartPart[];
  step: PictureStep;
  label: string;
}) {
  const data = points.map((point, place) => ({
    time: timeLabel(point.at, step),
    ...Object.fromEntries(parts.map(({ valueAt }, part) => [`p${part}`, valueAt(point)])),
    ...(before && { before: before[place] ?? null }),
  }));
  const series = [
    ...parts.map(({ label }, part) => ({ name: `p${part}`, label, color: colorOf(part, parts) })),
    ...(before
      ? [{ name: 'before', label: 'Previous period', color: 'gray.6', strokeDasharray: '4 3' }]
      : []),
  ];
  const shared = {
    h: 280,
    data,
    dataKey: 'time',
    series,
    valueFormatter: measure.format,
    yAxisProps: { width: 64 },
    xAxisProps: { minTickGap: 40 },
    tooltipProps: { isAnimationActive: false },
  };
  // A value between unknown ones would have no line.
  const known = points.filter(point => parts.some(({ valueAt }) => valueAt(point) !== null)).length;
  const lines = {
    ...shared,
    curveType: 'linear',
    withDots: known < 3 || known <= Math.min(mostDots, points.length / 2),
    strokeWidth: 1.75,
  } as const;
  return (
    <figure className={classes.figure} aria-label={label}>
      {!measure.adds || before ? (
        <LineChart {...lines} connectNulls={false} lineProps={{ isAnimationActive: false }} />
      ) : points.length <= mostBars ? (
        <BarChart {...shared} type="stacked" barProps={{ isAnimationActive: false }} maxBarWidth={40} />
      ) : (
        <AreaChart
          {...lines}
          type="stacked"
          fillOpacity={0.45}
          strokeWidth={1}
          areaProps={{ isAnimationActive: false }}
        />
      )}
      <Group component="figcaption" gap="xs" mt="xs">
        {series.map(({ name, label, color }) => (
          <Group key={name} gap={6} wrap="nowrap" className={classes.entry}>
            <span
              className={classes.swatch}
              style={{ background: `var(--mantine-color-${color.replace('.', '-')})` }}
            />
            <Text size="xs" truncate>
              {label}
            </Text>
          </Group>
        ))}
      </Group>
    </figure>
  );
}

function colorOf(place: number, parts: readonly ChartPart[]): string {
  return parts[place]?.id === 'rest' ? 'gray.5' : (colors[place % colors.length] as string);
}

const formats = {
  minute: new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }),
  hour: new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }),
  // Days are those of the roll-ups, which are in UTC.
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
};

function timeLabel(at: number, step: PictureStep): string {
  return formats[step].format(at);
}
