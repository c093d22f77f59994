import { and, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usageDays, usageHours } from '../database/rollup-tables.ts';
import { type AttemptFilter, matches, type Rollups } from './filter.ts';
import { type Part, SearchStep } from './search.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Yields the parts of a span in which attempts of a filter may be, newest first, each as long as the step at most. Roll-ups tell the
 * hours in which there are none of a token, a project, an owner, tags, a model, a provider or an outcome. The roll-ups of the oldest
 * day, and of before it, may have been removed.
 */
export async function* searchedParts(
  db: Database,
  filter: AttemptFilter,
  span: Part,
  step: SearchStep,
): AsyncGenerator<Part> {
  const oldest = db.select({ start: usageDays.start }).from(usageDays).orderBy(usageDays.start).limit(1);
  const [found] = await oldest;
  const known = found ? Math.max(span.start, found.start.getTime() + dayMs) : span.end;
  for await (const day of daysOf(db, filter, { start: known, end: span.end }))
    for (const hours of joined(await spansOf(db, usageHours, hourMs, filter, day)))
      yield* slices(common(hours, { start: known, end: span.end }), step);
  yield* slices({ start: span.start, end: Math.min(known, span.end) }, step);
}

/** Yields the days of a span that have roll-ups of a filter, newest first. They are read some days at a time. */
async function* daysOf(db: Database, filter: AttemptFilter, span: Part): AsyncGenerator<Part> {
  const step = new SearchStep({ first: 8 * dayMs, least: dayMs, most: 512 * dayMs });
  // Whole days, so that none is in two parts.
  const end = Math.ceil(span.end / dayMs) * dayMs;
  for (const part of slices({ start: span.start, end }, step))
    yield* await step.read(() => spansOf(db, usageDays, dayMs, filter, part));
}

/** Returns the spans of roll-ups of a filter that begin in a part, newest first. */
async function spansOf(
  db: Database,
  table: Rollups,
  ms: number,
  filter: AttemptFilter,
  part: Part,
): Promise<Part[]> {
  const found = await db
    .selectDistinct({ start: table.start })
    .from(table)
    .where(
      and(
        gte(table.start, new Date(Math.floor(part.start / ms) * ms)),
        lt(table.start, new Date(part.end)),
        sql`${table.attempts} > 0`,
        matchesRollup(table, filter),
      ),
    )
    .orderBy(sql`${table.start} desc`);
  return found.map(({ start }) => ({ start: start.getTime(), end: start.getTime() + ms }));
}

/** Returns the condition that the roll-ups of a filter's attempts fulfil, whatever their time. */
function matchesRollup(
  table: Rollups,
  { from, to, request, error, endedBy, outcome, ...wanted }: AttemptFilter,
): SQL | undefined {
  return and(matches(table, wanted), outcome === undefined ? undefined : sql`${table.outcome} = ${outcome}`);
}

/** Joins parts that follow each other. */
function joined(newestFirst: readonly Part[]): Part[] {
  const parts: Part[] = [];
  for (const { start, end } of newestFirst) {
    const later = parts.at(-1);
    if (later?.start === end) later.start = start;
    else parts.push({ start, end });
  }
  return parts;
}

function common(one: Part, other: Part): Part {
  return { start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) };
}

/** Divides a part, newest first. The step may change meanwhile. */
function* slices({ start, end }: Part, step: SearchStep): Generator<Part> {
  for (let to = end; to > start; ) {
    const from = Math.max(start, to - step.ms);
    yield { start: from, end: to };
    to = from;
  }
}
