import type { UsageGroup, usageGroups } from '@model-gateway/admin-api';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { usageDays, usageHours, type usageKeyHours } from '../database/rollup-tables.ts';
import { usage } from '../database/tables.ts';
import type { UsageSpan } from './filter.ts';

/** The tables that hold sums, by the length of their spans in milliseconds, and the ledger, which has the rest. */
export const sources = [
  { table: usageDays, time: usageDays.start, ms: 86_400_000 },
  { table: usageHours, time: usageHours.start, ms: 3_600_000 },
  { table: usage, time: usage.at, ms: 1 },
] as const;
export type Source = (typeof sources)[number];

/** Splits a span into whole days, whole hours before and after them, and the parts of hours that remain. */
export function split(
  span: UsageSpan,
  [source, ...finer]: readonly Source[] = sources,
): [Source, UsageSpan][] {
  if (!source) return [];
  const { from, to } = span;
  const start = from && new Date(Math.ceil(from.getTime() / source.ms) * source.ms);
  const end = to && new Date(Math.floor(to.getTime() / source.ms) * source.ms);
  if (start && end && start >= end) return split(span, finer);
  return [
    [source, { from: start, to: end }],
    ...(from && start && from < start ? split({ from, to: start }, finer) : []),
    ...(end && to && end < to ? split({ from: end, to }, finer) : []),
  ];
}

/** Returns the number of requests that ended with the attempts of a row. */
export function requestsOf(table: Source['table'] | typeof usageKeyHours): SQL {
  if (table === usage) return sql`case when ${usage.final} then 1 else 0 end`;
  return sql`requests`;
}

/** Returns the condition of an outcome that is an error. */
export function isFailed(outcome: PgColumn): SQL {
  return sql`${outcome} in ('failed', 'lost')`;
}

const tagPrefix = 'tag:';

/** Returns the value by which the rows of a table are grouped. */
export function keyOf({ table, time }: Pick<Source, 'table' | 'time'>, by: UsageGroup): SQL {
  if (by.startsWith(tagPrefix)) return sql`${table.tags} ->> ${by.slice(tagPrefix.length)}`;
  const keys: Record<(typeof usageGroups)[number], SQL> = {
    token: sql`${table.tokenId}`,
    project: sql`${table.project}`,
    owner: sql`${table.owner}`,
    model: sql`${table.model}`,
    provider: sql`${table.provider}`,
    day: sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD')`,
  };
  return keys[by as (typeof usageGroups)[number]];
}
