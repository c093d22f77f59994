import type { SeriesGroup, SeriesStep } from '@model-gateway/admin-api';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../database/database.ts';
import { usageHours, usageKeyHours } from '../database/rollup-tables.ts';
import { usage } from '../database/tables.ts';
import { dollars } from './dollars.ts';
import { isOneOf, isWithin, matches, type UsageFilter, type UsageSpan } from './filter.ts';
import { type KeyKind, keyKinds, keysUntil } from './key-hours.ts';
import { isFailed, keyOf, requestsOf, type Source, sources, split } from './sources.ts';
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
  const first = by ? await firstKeys(db, split({ from, to }), wanted, { by, top }) : [null];
  const summed = await summedParts(db, parts, wanted, { by, step });
  const sums = summed.map(part => sumsIn(part, { step, first, grouped: by !== null }));
  const start = sql<string | null>`to_char(start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  const grouped = sql`select start, key, rest, ${totals} from (${sql.join(sums, sql` union all `)}) as sums group by 1, 2, 3`;
  return db
    .select({ start, key: sql<string | null>`key`, rest: sql<boolean>`rest`, ...shown })
    .from(sql`(${grouped}) as grouped`)
    .where(sql`attempts > 0`)
    .orderBy(sql`start`, sql`rest`, sql`cost desc`, sql`attempts desc`, sql`key`);
}

type Requested = Omit<UsageFilter, 'from' | 'to'>;

/** The column that holds the start of a row's span, and the length of the spans in milliseconds. */
interface SourceTime {
  time: PgColumn;
  ms: number;
}

/** Returns the keys with the highest cost; those of the same cost by their attempts. */
async function firstKeys(
  db: Database,
  parts: readonly [Source, UsageSpan][],
  wanted: Requested,
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
  'failedAttempts',
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

/** A part of a series: the rows of a table that are summed, and the key of each. */
interface SummedPart extends SourceTime {
  table: Source['table'] | typeof usageKeyHours;
  where: SQL | undefined;
  key: SQL;
}

/** Returns the tables that hold the parts of a series. Hours by one column are read from their own roll-ups, as far as these go. */
async function summedParts(
  db: Database,
  parts: readonly [Source, UsageSpan][],
  wanted: Requested,
  { by, step }: Pick<Series, 'by' | 'step'>,
): Promise<SummedPart[]> {
  const kind = step === 'hour' ? kindOf(by, wanted) : undefined;
  const until = kind && (await keysUntil(db));
  return parts.flatMap(([{ table, time, ms }, span]) => {
    const part = (span: UsageSpan): SummedPart => ({
      ...{ table, time, ms, key: by ? keyOf({ table, time }, by) : sql`null::text` },
      where: and(isWithin(time, span), matches(table, wanted)),
    });
    if (!kind || !until || table !== usageHours) return [part(span)];
    const { from, to } = span;
    const own = { from, to: to && to < until ? to : until };
    const rest = { from: from && from > until ? from : until, to };
    return [
      {
        ...{ table: usageKeyHours, time: usageKeyHours.start, ms },
        key: by ? sql`${usageKeyHours.key}` : sql`null::text`,
        where: and(
          isWithin(usageKeyHours.start, own),
          eq(usageKeyHours.kind, kind),
          isOneOf(usageKeyHours.key, wanted[kind]),
        ),
      },
      part(rest),
    ];
  });
}

/** Returns the column by which hours are rolled up that has every sum of a series; undefined if there is none. */
function kindOf(by: SeriesGroup | null, { tags = [], ...wanted }: Requested): KeyKind | undefined {
  const filtered = Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const names = new Set([...filtered, ...(by ? [by] : [])]);
  if (tags.length > 0 || names.size > 1) return undefined;
  const [name = keyKinds[0]] = names;
  return keyKinds.find(kind => kind === name);
}

/** Returns a query for the sums that a table holds, by spans of time and by keys; those that are not among the first are joined. */
function sumsIn(
  { table, time, ms, key, where }: SummedPart,
  { step, first, grouped }: { step: SeriesStep; first: readonly (string | null)[]; grouped: boolean },
): SQL {
  const named = first.filter(name => name !== null).map(name => sql`${name}`);
  const isNamed = named.length > 0 ? sql`${key} in (${sql.join(named, sql`, `)})` : sql`false`;
  const isFirst = sql`case when ${key} is null then ${first.includes(null)}::boolean else ${isNamed} end`;
  const shownKey = grouped ? sql`case when ${isFirst} then ${key} end` : key;
  const rest = grouped ? sql`not ${isFirst}` : sql`false`;
  const { charged, outcome } = table;
  // In the ledger, a row is one attempt.
  const of =
    table === usage
      ? {
          attempts: sql`1`,
          requests: requestsOf(table),
          unpriced: sql`case when ${usage.cost} is null then 1 else 0 end`,
          ...ofAttempt,
        }
      : {
          attempts: sql`attempts`,
          requests: requestsOf(table),
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
    sumIf(isFailed(outcome), of.attempts, 'failedAttempts'),
    sumIf(sql`true`, of.requests, 'requests'),
    sumIf(isFailed(outcome), of.requests, 'failed'),
    sumIf(sql`${outcome} = 'cancelled'`, of.requests, 'cancelled'),
    sumIf(isCharged, of.unpriced, 'unpriced'),
    sumIf(isAnswered, of.timed, 'timed'),
    sumIf(isAnswered, sql`${table.ms}`, 'ms'),
    sumIf(isAnswered, of.begun, 'begun'),
    sumIf(isAnswered, of.firstMs, 'firstMs'),
    ...[...units, 'cost' as const].map(name => sumIf(isCharged, sql`${table[name]}::double precision`, name)),
    sumIf(sql`not ${charged}`, sql`${table.cost}`, 'unchargedCost'),
  ];
  return sql`select ${startOf({ time, ms }, step)} as start, ${shownKey} as key, ${rest} as rest, ${sql.join(sums, sql`, `)} from ${table}
    where ${where ?? sql`true`} group by 1, 2, 3`;
}

const ofAttempt = {
  timed: sql`1`,
  begun: sql`case when ${usage.stream} and ${usage.firstMs} is not null then 1 else 0 end`,
  firstMs: sql`case when ${usage.stream} then ${usage.firstMs} end`,
};

const stepMs: Record<SeriesStep, number> = { all: 0, day: 86_400_000, hour: 3_600_000, minute: 60_000 };

/** Returns the start of the step of a row. That of a roll-up of the same length is its own. */
function startOf({ time, ms }: SourceTime, step: SeriesStep): SQL {
  if (step === 'all') return sql`null::timestamptz`;
  return ms === stepMs[step] ? sql`${time}` : sql`date_trunc(${sql.raw(`'${step}'`)}, ${time}, 'UTC')`;
}
