import { useMemo } from 'react';
import type { TimeSpan } from '../layout/range.ts';
import type { ChosenRange } from '../layout/time-range.tsx';
import type { UsageRow } from '../ledger/measures.ts';
import { type UsageFilters, useSeries } from '../ledger/usage-query.ts';
import { type Frame, frameBefore, frameOf, type Point, pointsOf, spanOf } from './points.ts';

/** The keys that a picture shows apart. */
const shownKeys = 7;
/** The most rows of the table. */
const mostRows = 200;

/** What the page of usage shows. */
export interface UsageView {
  frame: Frame;
  span: TimeSpan;
  points: readonly Point[];
  /** The sums of each step of the time before; undefined without a comparison. */
  pointsBefore: readonly Point[] | undefined;
  /** The sums over time by key. */
  series: readonly UsageRow[];
  /** The sums of the whole time by key; undefined until they are read. */
  table: readonly UsageRow[] | undefined;
  before: readonly UsageRow[] | undefined;
  loading: boolean;
  error: unknown;
  retry(): void;
}

/** Reads what the page of usage shows. */
export function useUsageView({
  range: { span: wanted, renew },
  filters,
  by,
  compare,
}: {
  range: ChosenRange;
  filters: UsageFilters;
  by: string;
  compare: boolean;
}): UsageView {
  const frame = useMemo(() => frameOf(wanted, Date.now()), [wanted]);
  const span = useMemo(() => spanOf(frame), [frame]);
  const before = useMemo(() => frameBefore(frame), [frame]);
  const { step } = frame;
  const series = useSeries({ filters, by, step, top: shownKeys, span });
  const table = useSeries({ filters, by, step: 'all', top: mostRows, span });
  const earlier = useSeries({ filters, step, top: 1, span: spanOf(before), enabled: compare });
  // Rows of an earlier frame stay on the screen until others are there; they are not in the steps of this one.
  const isCurrent = series.data?.step === step;
  const points = useMemo(
    () => pointsOf(isCurrent ? (series.data?.data ?? []) : [], frame),
    [series.data, isCurrent, frame],
  );
  const rowsBefore = compare ? earlier.data?.data : undefined;
  const pointsBefore = useMemo(() => rowsBefore && pointsOf(rowsBefore, before), [rowsBefore, before]);
  return {
    ...{ frame, span, points, pointsBefore, before: rowsBefore },
    series: series.data?.data ?? [],
    table: table.data?.data,
    loading: series.isFetching || table.isFetching || earlier.isFetching,
    error: table.error ?? series.error ?? (compare ? earlier.error : null),
    retry: renew,
  };
}
