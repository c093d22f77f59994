import { desc, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** A part of a list: the most records, and the place of the last record of the page before. */
export interface Page<Place> {
  limit: number;
  after?: Place | undefined;
}

/** A place in a list by time: microseconds since 1970, as the database counts them, and the record's id. */
export type PlaceInTime = readonly [micros: number, id: string];

/** Returns the parts of a statement that reads a list of rows, newest first. It needs an index of the two columns. */
export function newestFirst({ createdAt, id }: { createdAt: PgColumn; id: PgColumn }): {
  micros: SQL<number>;
  order: SQL[];
  isAfter(place: PlaceInTime | undefined): SQL | undefined;
} {
  return {
    micros: sql`(extract(epoch from ${createdAt}) * 1000000)::bigint`.mapWith(Number) as SQL<number>,
    order: [desc(createdAt), desc(id)],
    isAfter: place =>
      place &&
      sql`(${createdAt}, ${id}) < (timestamptz 'epoch' + ${place[0]}::float8 * interval '1 microsecond', ${place[1]}::uuid)`,
  };
}
