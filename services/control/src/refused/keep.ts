import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '../database/database.ts';
import { refusedCounts, refusedRequests } from '../database/tables.ts';
import type { RefusedRow } from './row.ts';

/** Stores records of requests that were refused, once each. A count that is larger takes the place of an earlier one. */
export async function keepRefused(db: Database, rows: readonly RefusedRow[]): Promise<void> {
  const counts = new Map<string, object>();
  const requests = new Map<string, object>();
  for (const { kind, row } of rows) {
    if (kind === 'request') requests.set(row.id, row);
    else {
      const { start, process, tokenId, model, status, reason } = row;
      counts.set(JSON.stringify([start, process, tokenId, model, status, reason]), row);
    }
  }
  await insert(
    db,
    refusedCounts,
    [...counts.values()],
    sql`on conflict (start, process, token_id, model, status, reason)
      do update set count = greatest(refused_counts.count, excluded.count)`,
  );
  await insert(db, refusedRequests, [...requests.values()], sql`on conflict do nothing`);
}

/** Passes all rows as one parameter, as the ledger does. */
async function insert(db: Database, table: PgTable, rows: readonly object[], conflict: SQL): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.entries(getTableColumns(table));
  const named = rows.map(row =>
    Object.fromEntries(columns.map(([key, { name }]) => [name, (row as Record<string, unknown>)[key]])),
  );
  await db.execute(
    sql`insert into ${table} select * from json_populate_recordset(null::${table}, ${JSON.stringify(named)}::json) ${conflict}`,
  );
}
