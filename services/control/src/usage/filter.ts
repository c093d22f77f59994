import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { usageDays, usageHours } from '../database/rollup-tables.ts';
import { usage } from '../database/tables.ts';

export type Tag = readonly [name: string, value: string];

/** A span of time. An absent end is open. */
export interface UsageSpan {
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

/** The attempts of a query. An absent field names all, and a list each of its entries. */
export interface UsageFilter extends UsageSpan {
  token?: string | readonly string[] | undefined;
  project?: string | readonly string[] | undefined;
  owner?: string | readonly string[] | undefined;
  /** An attempt has each of them. */
  tags?: readonly Tag[] | undefined;
  model?: string | undefined;
  provider?: string | undefined;
}

/** The conditions that only the ledger itself knows. */
export interface AttemptFilter extends UsageFilter {
  request?: string | undefined;
  outcome?: string | undefined;
  error?: string | undefined;
  endedBy?: string | undefined;
}

export type Rollups = typeof usageHours | typeof usageDays;

/** Returns the condition that rows fulfil which a filter names, whatever their time. */
export function matches(
  table: typeof usage | Rollups,
  wanted: Omit<UsageFilter, 'from' | 'to'>,
): SQL | undefined {
  const { token, project, owner, tags = [], model, provider } = wanted;
  return and(
    isOneOf(table.tokenId, token),
    isOneOf(table.project, project),
    isOneOf(table.owner, owner),
    isOneOf(table.model, model),
    isOneOf(table.provider, provider),
    ...tags.map(tag => sql`${table.tags} @> ${JSON.stringify(Object.fromEntries([tag]))}::jsonb`),
  );
}

/** Returns the condition that a column has a value, or one of several; undefined if any will do. */
export function isOneOf(column: PgColumn, wanted: string | readonly string[] | undefined): SQL | undefined {
  if (typeof wanted === 'object') return inArray(column, wanted);
  return wanted ? eq(column, wanted) : undefined;
}

/** Returns the condition that attempts fulfil, whatever their time. */
export function matchesAttempt({
  request,
  outcome,
  error,
  endedBy,
  ...wanted
}: Omit<AttemptFilter, 'from' | 'to'>): SQL | undefined {
  return and(
    matches(usage, wanted),
    isOneOf(usage.requestId, request),
    isOneOf(usage.outcome, outcome),
    isOneOf(usage.error, error),
    isOneOf(usage.endedBy, endedBy),
  );
}

/** Returns the condition that a time is in a span. `to` is exclusive. */
export function isWithin(time: PgColumn, { from, to }: UsageSpan): SQL | undefined {
  return and(from && gte(time, from), to && lt(time, to));
}
