import { bigint, boolean, doublePrecision, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { counted } from './tables.ts';

const summed = (name?: string) => (name ? doublePrecision(name) : doublePrecision()).notNull();

/** Defines the sums of attempts that have a column in common. */
const sums = () => ({
  attempts: counted('attempts'),
  /** Those with which their requests ended; null in roll-ups of before that was recorded. */
  requests: bigint({ mode: 'number' }),
  /** Attempts whose cost is unknown. */
  unpriced: counted('unpriced'),
  /** Attempts whose times are in the sums: 0 in roll-ups of before those were recorded. */
  timed: counted('timed').default(0),
  ms: summed().default(0),
  /** Streams of which the time until the answer began is in the sum. */
  begun: counted('begun').default(0),
  firstMs: summed('first_ms').default(0),
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

/**
 * Defines a table of roll-ups: sums of the ledger by a span of time and by the columns up to `charged`. Triggers keep them in the
 * transaction that changes the ledger. A row of 0 attempts is what is left of attempts that changed.
 */
const rollups = <Name extends string>(name: Name) =>
  pgTable(name, {
    /** Start of the span. */
    start: timestamp({ withTimezone: true }).notNull(),
    tokenId: text('token_id').notNull(),
    project: text().notNull(),
    owner: text(),
    tags: jsonb().$type<Record<string, string>>(),
    model: text().notNull(),
    provider: text().notNull(),
    outcome: text().notNull(),
    charged: boolean().notNull(),
    ...sums(),
  });

/** Roll-ups of hours, in UTC. */
export const usageHours = rollups('usage_hours');

/** Roll-ups of days, in UTC. */
export const usageDays = rollups('usage_days');

/** Roll-ups of hours by one column each, of the hours before {@link usageKeyHoursUntil}. A key may have several rows. */
export const usageKeyHours = pgTable('usage_key_hours', {
  start: timestamp({ withTimezone: true }).notNull(),
  /** The column: `project`, `owner`, `model` or `provider`. */
  kind: text().notNull(),
  key: text(),
  outcome: text().notNull(),
  charged: boolean().notNull(),
  ...sums(),
});

/** The one row that holds the end of the hours that are rolled up by one column each. */
export const usageKeyHoursUntil = pgTable('usage_key_hours_until', {
  one: boolean().primaryKey().default(true),
  until: timestamp({ withTimezone: true }).notNull(),
});
