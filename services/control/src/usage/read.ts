import type { UsageGroup, usageGroups } from '@model-gateway/admin-api';
import { and, count, desc, eq, getTableColumns, gt, gte, lt, type SQL, sql, sum } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';

export type Tag = readonly [name: string, value: string];

/** A filter for rows of the ledger. */
export interface UsageFilter {
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  token?: string | undefined;
  project?: string | undefined;
  owner?: string | undefined;
  /** Names and values of tags; an attempt has each of them. */
  tags?: readonly Tag[] | undefined;
  model?: string | undefined;
  provider?: string | undefined;
}

/** All but the upstream's usage object, which may be large. */
const { raw: _, ...columns } = getTableColumns(usage);

/** Lists rows of the ledger, newest first. `before` is the last id of the previous page. */
export async function listUsage(
  db: Database,
  filter: UsageFilter,
  { limit, before }: { limit: number; before?: string | undefined },
) {
  const where = and(matches(filter), before ? lt(usage.id, before) : undefined);
  return db.select(columns).from(usage).where(where).orderBy(desc(usage.id)).limit(limit);
}

/** The most rows of the ledger that are read at once for an export. */
const exportedAtOnce = 1_000;

/** Yields the rows of the ledger in pages, oldest first. */
export async function* eachUsage(db: Database, filter: UsageFilter) {
  let after: string | undefined;
  do {
    const where = and(matches(filter), after ? gt(usage.id, after) : undefined);
    const rows = await db.select(columns).from(usage).where(where).orderBy(usage.id).limit(exportedAtOnce);
    yield rows;
    after = rows.length === exportedAtOnce ? rows.at(-1)?.id : undefined;
  } while (after);
}

/** Sums the charged attempts, by one grouping. */
export async function totalUsage(db: Database, filter: UsageFilter, by: UsageGroup) {
  const key = keyOf(by);
  return db
    .select({
      key,
      requests: count(),
      input: total(usage.input),
      cachedInput: total(usage.cachedInput),
      cacheWrite5m: total(usage.cacheWrite5m),
      cacheWrite1h: total(usage.cacheWrite1h),
      output: total(usage.output),
      reasoning: total(usage.reasoning),
      images: total(usage.images),
      seconds: total(usage.seconds),
      characters: total(usage.characters),
      searches: total(usage.searches),
      cost: total(usage.cost),
      unpriced: sql<number>`count(*) filter (where ${usage.cost} is null)`.mapWith(Number),
    })
    .from(usage)
    .where(and(matches(filter), eq(usage.charged, true)))
    .groupBy(sql`1`)
    .orderBy(sql`1`);
}

function keyOf(by: UsageGroup): SQL<string | null> {
  if (by.startsWith(tagPrefix)) return sql`${usage.tags} ->> ${by.slice(tagPrefix.length)}`;
  return keys[by as keyof typeof keys];
}

const tagPrefix = 'tag:';
const keys: Record<(typeof usageGroups)[number], SQL<string | null>> = {
  token: sql`${usage.tokenId}`,
  project: sql`${usage.project}`,
  owner: sql`${usage.owner}`,
  model: sql`${usage.model}`,
  provider: sql`${usage.provider}`,
  day: sql`to_char(${usage.at} at time zone 'UTC', 'YYYY-MM-DD')`,
};

function total(column: Parameters<typeof sum>[0]) {
  return sum(column).mapWith(Number);
}

function matches({ from, to, token, project, owner, tags, model, provider }: UsageFilter): SQL | undefined {
  return and(
    from && gte(usage.at, from),
    to && lt(usage.at, to),
    token ? eq(usage.tokenId, token) : undefined,
    project ? eq(usage.project, project) : undefined,
    owner ? eq(usage.owner, owner) : undefined,
    ...(tags ?? []).map(tag => sql`${usage.tags} @> ${JSON.stringify(Object.fromEntries([tag]))}::jsonb`),
    model ? eq(usage.model, model) : undefined,
    provider ? eq(usage.provider, provider) : undefined,
  );
}
