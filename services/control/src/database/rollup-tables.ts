import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  customType,
  doublePrecision,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { counted } from './tables.ts';

const summed = (name?: string) => (name ? doublePrecision(name) : doublePrecision()).notNull();

/** Defines the sums of attempts that have a column in common. */
const sums = () => ({
  attempts: counted('attempts'),
  /** Those with which their requests ended. */
  requests: counted('requests'),
  /** Attempts whose cost is unknown. */
  unpriced: counted('unpriced'),
  /** Attempts whose times are in the sums. */
  timed: counted('timed'),
  ms: summed(),
  /** Streams of which the time until the answer began is in the sum. */
  begun: counted('begun'),
  firstMs: summed('first_ms'),
  input: summed(),
  cachedInput: summed('cached_input'),
  cacheWrite5m: summed('cache_write_5m'),
  cacheWrite1h: summed('cache_write_1h'),
  audioInput: summed('audio_input'),
  imageInput: summed('image_input'),
  output: summed(),
  reasoning: summed(),
  audioOutput: summed('audio_output'),
  images: summed(),
  seconds: summed(),
  characters: summed(),
  searches: summed(),
  /** In US dollars. */
  cost: summed(),
});

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * Defines a table of roll-ups: sums of the ledger by a span of time and by the columns up to `charged`. Triggers keep them in the
 * transaction that changes the ledger. A row of 0 attempts is what is left of attempts that changed.
 */
const rollups = <Name extends string>(name: Name) =>
  pgTable(
    name,
    {
      /** Start of the span. */
      start: timestamp({ withTimezone: true }).notNull(),
      /** A hash of the columns up to `charged`: an index cannot hold all of their texts. */
      key: bytea().notNull(),
      tokenId: text('token_id').notNull(),
      project: text().notNull(),
      owner: text(),
      tags: jsonb().$type<Record<string, string>>(),
      model: text().notNull(),
      provider: text().notNull(),
      outcome: text().notNull(),
      charged: boolean().notNull(),
      ...sums(),
    },
    ({ start, key, tokenId, project, owner }) => [
      primaryKey({ columns: [start, key] }),
      index(`${name}_token`).on(tokenId, start),
      index(`${name}_project`).on(project, start),
      index(`${name}_owner`).on(owner, start).where(sql`${owner} IS NOT NULL`),
    ],
  );

/** Roll-ups of hours, in UTC. */
export const usageHours = rollups('usage_hours');

/** Roll-ups of days, in UTC. */
export const usageDays = rollups('usage_days');

/** Roll-ups of hours by one column each, of the hours before {@link usageKeyHoursUntil}. A key may have several rows. */
export const usageKeyHours = pgTable(
  'usage_key_hours',
  {
    start: timestamp({ withTimezone: true }).notNull(),
    /** The column: `project`, `owner`, `model` or `provider`. */
    kind: text().notNull(),
    key: text(),
    outcome: text().notNull(),
    charged: boolean().notNull(),
    ...sums(),
  },
  ({ start, kind }) => [index('usage_key_hours_start').on(start, kind)],
);

/** The one row that holds the end of the hours that are rolled up by one column each. */
export const usageKeyHoursUntil = pgTable(
  'usage_key_hours_until',
  {
    one: boolean().primaryKey().default(true),
    until: timestamp({ withTimezone: true }).notNull(),
  },
  ({ one }) => [check('usage_key_hours_until_one', sql`${one}`)],
);
