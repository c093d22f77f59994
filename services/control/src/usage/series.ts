import type { SeriesGroup, SeriesStep } from '@model-gateway/admin-api';
import { and, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import { dollars } from './dollars.ts';
import { isWithin, matches, type UsageFilter, type UsageSpan } from './filter.ts';
import { keyOf, type Source, sources, split } from './sources.ts';
import { units } from './units.ts';

interface Series {
  by: SeriesGroup | null;
  step: SeriesStep;
  /** The number of keys, those with the highest cost first. The others are joined. */
  top: number;
}

/** The first table of `sources` whose spans a step does not split. */
const firstSource: Record<SeriesStep, number> = { all: 0, day: 0, hour: 1, minute: 2 };

/** Sums attempts of every outcome by spans of time and by one grouping, oldest first. Spans without an attempt are absent. */
export async function usageOverTime(
  db: Database,
  { from, to, ...wanted }: UsageFilter,
  { by, step, top }: Series,
): Promise<Sums[]> {
  const parts = split({ from, to }, sources.slice(firstSource[step]));
  if (parts.length === 0) return [];
  // The keys are ranked first: to sum all counts of every key in each span takes many times as long.
  const first = by ? await firstKeys(db, parts, wanted, { by, top }) : [null];
  const sums = parts.map(([source, span]) => sumsIn(source, span, wanted, { by, step, first }));
  const start = sql<string | null>`to_char(start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  const grouped = sql`select start, key, rest, ${totals} from (${sql.join(sums, sql` union all `)}) as sums group by 1, 2, 3`;
  return db
    .select({ start, key: sql<string | null>`key`, rest: sql<boolean>`rest`, ...shown })
    .from(sql`(${grouped}) as grouped`)
    .where(sql`attempts > 0`)
    .orderBy(sql`start`, sql`rest`, sql`cost desc`, sql`attempts desc`, sql`key`);
}

type Wanted = Omit<UsageFilter, 'from' | 'to'>;

/** Returns the keys with the highest cost; those of the same cost by their attempts. */
async function firstKeys(
  db: Database,
  parts: readonly [Source, UsageSpan][],
  wanted: Wanted,
  { by, top }: { by: SeriesGroup; top: number },
): Promise<(string | null)[]> {
  const weights = parts.map(
    ([{ table, time }, span]) => sql`select ${keyOf({ table, time }, by)} as key,
      sum(${table.cost}) filter (where ${table.charged}) as cost,
      ${table === usage ? sql`count(*)` : sql`sum(attempts)`} as attempts
      from ${table} where ${and(isWithin(time, span), matches(table, wanted)) ?? sql`true`} group by 1`,
  );
  const found = await db
    .select({ key: sql<string | null>`key` })
    .from(sql`(${sql.join(weights, sql` union all `)}) as weights`)
    .groupBy(sql`key`)
    .having(sql`sum(attempts) > 0`)
    .orderBy(sql`coalesce(sum(cost), 0) desc`, sql`sum(attempts) desc`, sql`key`)
    .limit(top);
  return found.map(({ key }) => key);
}

/** The counts of attempts, beside the units. */
const counts = [
  'attempts',
  'requests',
  'failed',
  'cancelled',
  'unpriced',
  'timed',
  'ms',
  'begun',
  'firstMs',
] as const;
const names = [...counts, ...units, 'cost', 'unchargedCost'] as const;
type Sums = { start: string | null; key: string | null; rest: boolean } & Record<
  (typeof names)[number],
  number
>;

const totals = sql.join(
  names.map(name => sql`sum(${sql.identifier(name)}) as ${sql.identifier(name)}`),
  sql`, `,
);
const shown = {
  ...(Object.fromEntries(names.map(name => [name, sql`${sql.identifier(name)}`.mapWith(Number)])) as Record<
    (typeof names)[number],
    SQL<number>
  >),
  cost: sql`cost`.mapWith(sum => dollars(Number(sum))),
  unchargedCost: sql`${sql.identifier('unchargedCost')}`.mapWith(sum => dollars(Number(sum))),
};

/** Returns a query for the sums that a table holds, by spans of time and by keys; those that are not among the first are joined. */
function sumsIn(
  { table, time, ms }: Source,
  span: UsageSpan,
  wanted: Wanted,
  { by, step, first }: Pick<Series, 'by' | 'step'> & { first: readonly (string | null)[] },
): SQL {
  const key = by ? keyOf({ table, time }, by) : sql`null::text`;
  const named = first.filter(name => name !== null).map(name => sql`${name}`);
  const isNamed = named.length > 0 ? sql`${key} in (${sql.join(named, sql`, `)})` : sql`false`;
  const isFirst = sql`case when ${key} is null then ${first.includes(null)}::boolean else ${isNamed} end`;
  const shownKey = by ? sql`case when ${isFirst} then ${key} end` : key;
  const rest = by ? sql`not ${isFirst}` : sql`false`;
  const { charged, outcome } = table;
  // In the ledger, a row is one attempt.
  const of =
    table === usage
      ? { attempts: sql`1`, unpriced: sql`case when ${usage.cost} is null then 1 else 0 end`, ...ofAttempt }
      : {
          attempts: sql`attempts`,
          unpriced: sql`unpriced`,
          timed: sql`timed`,
          begun: sql`begun`,
          firstMs: sql`first_ms`,
        };
  const sumIf = (condition: SQL, value: SQL, name: string) =>
    sql`coalesce(sum(${value}) filter (where ${condition}), 0)::double precision as ${sql.identifier(name)}`;
  const isCharged = sql`${charged}`;
  const isAnswered = sql`${outcome} = 'answered'`;
  const sums = [
    sumIf(sql`true`, of.attempts, 'attempts'),
    sumIf(isCharged, of.attempts, 'requests'),
    sumIf(sql`${outcome} in ('failed', 'lost')`, of.attempts, 'failed'),
    sumIf(sql`${outcome} = 'cancelled'`, of.attempts, 'cancelled'),
    sumIf(isCharged, of.unpriced, 'unpriced'),
    sumIf(isAnswered, of.timed, 'timed'),
    sumIf(isAnswered, sql`${table.ms}`, 'ms'),
    sumIf(isAnswered, of.begun, 'begun'),
    sumIf(isAnswered, of.firstMs, 'firstMs'),
    ...[...units, 'cost' as const].map(name => sumIf(isCharged, sql`${table[name]}::double precision`, name)),
    sumIf(sql`not ${charged}`, sql`${table.cost}`, 'unchargedCost'),
  ];
  return sql`select ${startOf({ time, ms }, step)} as start, ${shownKey} as key, ${rest} as rest, ${sql.join(sums, sql`, `)} from ${table}
    where ${and(isWithin(time, span), matches(table, wanted)) ?? sql`true`} group by 1, 2, 3`;
}

const ofAttempt = {
  timed: sql`1`,
  begun: sql`case when ${usage.stream} and ${usage.firstMs} is not null then 1 else 0 end`,
  firstMs: sql`case when ${usage.stream} then ${usage.firstMs} end`,
};

const stepMs: Record<SeriesStep, number> = { all: 0, day: 86_400_000, hour: 3_600_000, minute: 60_000 };

/** Returns the start of the step of a row. That of a roll-up of the same length is its own. */
function startOf({ time, ms }: Pick<Source, 'time' | 'ms'>, step: SeriesStep): SQL {
  if (step === 'all') return sql`null::timestamptz`;
  return ms === stepMs[step] ? sql`${time}` : sql`date_trunc(${sql.raw(`'${step}'`)}, ${time}, 'UTC')`;
}
