import type { UsageGroup } from '@model-gateway/admin-api';
import { and, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import { dollars } from './dollars.ts';
import { isWithin, matches, type UsageFilter, type UsageSpan } from './filter.ts';
import { isFailed, keyOf, requestsOf, type Source, split } from './sources.ts';
import { units } from './units.ts';

/** Sums requests, charged attempts, and the cost of the others, by one grouping: from roll-ups of whole days and hours, and from the attempts of parts of hours. */
export async function totalUsage(db: Database, { from, to, ...wanted }: UsageFilter, by: UsageGroup) {
  const sums = split({ from, to }).map(([source, span]) => sumsIn(source, span, wanted, by));
  if (sums.length === 0) return [];
  return db
    .select({ key: sql<string | null>`key`, ...totals })
    .from(sql`(${sql.join(sums, sql` union all `)}) as sums`)
    .groupBy(sql`key`)
    .having(sql`sum(attempts) > 0`)
    .orderBy(sql`key`);
}

/** The columns that are summed of charged attempts in both tables. */
const columns = [...units, 'cost'] as const;

const uncharged = sql.identifier('unchargedCost');

const sumOf = (name: string) => sql`coalesce(sum(${sql.identifier(name)}), 0)`.mapWith(Number);
const names = ['requests', 'failed', 'attempts', 'unpriced', ...units] as const;
const totals = {
  ...(Object.fromEntries(names.map(name => [name, sumOf(name)])) as Record<
    (typeof names)[number],
    SQL<number>
  >),
  cost: sumOf('cost').mapWith(sum => dollars(Number(sum))),
  unchargedCost: sumOf('unchargedCost').mapWith(sum => dollars(Number(sum))),
};

/** Returns a query for the sums that a table holds. */
function sumsIn(
  { table, time }: Source,
  span: UsageSpan,
  wanted: Omit<UsageFilter, 'from' | 'to'>,
  by: UsageGroup,
): SQL {
  const { charged, cost, outcome } = table;
  const requests = requestsOf(table);
  // In the ledger, a row is one attempt.
  const [attempts, unpriced] =
    table === usage
      ? [sql`1`, sql`case when ${cost} is null then 1 else 0 end`]
      : [sql`attempts`, sql`unpriced`];
  const sums = [
    sql`coalesce(sum(${requests}), 0) as requests`,
    sql`coalesce(sum(${requests}) filter (where ${isFailed(outcome)}), 0) as failed`,
    sql`coalesce(sum(${attempts}), 0) as attempts`,
    sql`coalesce(sum(${unpriced}) filter (where ${charged}), 0) as unpriced`,
    ...columns.map(
      name => sql`sum(${table[name]}::double precision) filter (where ${charged}) as ${sql.identifier(name)}`,
    ),
    sql`coalesce(sum(${cost}) filter (where not ${charged}), 0) as ${uncharged}`,
  ];
  const where = and(isWithin(time, span), matches(table, wanted)) ?? sql`true`;
  return sql`select ${keyOf({ table, time }, by)} as key, ${sql.join(sums, sql`, `)} from ${table} where ${where} group by 1`;
}
