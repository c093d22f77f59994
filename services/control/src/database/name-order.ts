import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** Returns the parts of a statement that reads a list by name, in the same order in every database. It needs an index of this order. */
export function byName(column: PgColumn): {
  order: SQL;
  isAfter(name: string | undefined): SQL | undefined;
} {
  const order = sql`${column} collate "C"`;
  return { order, isAfter: name => (name === undefined ? undefined : sql`${order} > ${name}`) };
}

/** Returns the condition that a name has this part, in upper or lower case. */
export function hasPart(column: PgColumn, part: string | undefined): SQL | undefined {
  return part === undefined ? undefined : sql`strpos(lower(${column}), lower(${part})) > 0`;
}
