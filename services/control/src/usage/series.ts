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
export function usageOverTime(
  db: Database,
  { from, to, ...wanted }: UsageFilter,
  { by, step, top }: Series,
): Promise<Sums[]> {
  const parts = split({ from, to }, sources.slice(firstSource[step]));
  if (parts.length === 0) return Promise.resolve([]);
  const sums = parts.map(([source, span]) => sumsIn(source, span, wanted, { by, step }));
  // A key is ranked by all that it has: each of its rows has the same sums here.
  const whole = (name: string) => sql`sum(${sql.identifier(name)}) over (partition by key)`;
  const weighed = sql`select *, ${whole('cost')} as whole_cost, ${whole('attempts')} as whole_attempts
    from (${sql.join(sums, sql` union all `)}) as sums`;
  const ranked = sql`select *, dense_rank() over (order by whole_cost desc, whole_attempts desc, key) as place
    from (${weighed}) as weighed`;
  const key = sql<string | null>`case when place <= ${top} then key end`;
  const rest = sql<boolean>`place > ${top}`;
  const grouped = sql`select start, ${key} as key, ${rest} as rest, ${totals} from (${ranked}) as ranked group by 1, 2, 3`;
  const start = sql<string | null>`to_char(start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  return db
    .select({ start, key: sql<string | null>`key`, rest: sql<boolean>`rest`, ...shown })
    .from(sql`(${grouped}) as grouped`)
    .where(sql`attempts > 0`)
    .orderBy(sql`start`, sql`rest`, sql`cost desc`, sql`attempts desc`, sql`key`);
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
const names = [...counts, ...units, 'cost'] as const;
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
};

/** Returns a query for the sums that a table holds, by spans of time and by keys. */
function sumsIn(
  { table, time }: Source,
  span: UsageSpan,
  wanted: Omit<UsageFilter, 'from' | 'to'>,
  { by, step }: Pick<Series, 'by' | 'step'>,
): SQL {
  const start =
    step === 'all' ? sql`null::timestamptz` : sql`date_trunc(${sql.raw(`'${step}'`)}, ${time}, 'UTC')`;
  const key = by ? keyOf({ table, time }, by) : sql`null::text`;
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
  ];
  return sql`select ${start} as start, ${key} as key, ${sql.join(sums, sql`, `)} from ${table}
    where ${and(isWithin(time, span), matches(table, wanted)) ?? sql`true`} group by 1, 2`;
}

const ofAttempt = {
  timed: sql`1`,
  begun: sql`case when ${usage.stream} and ${usage.firstMs} is not null then 1 else 0 end`,
  firstMs: sql`case when ${usage.stream} then ${usage.firstMs} end`,
};
