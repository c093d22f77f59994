import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** The system of record: PostgreSQL, or PGlite (PostgreSQL in this process). A transaction has the same type. */
export type Database = PgDatabase<PgQueryResultHKT>;

export interface OpenDatabase {
  db: Database;
  claims: FileClaims;
  /**
   * Adds rows to a table in PostgreSQL's binary format for COPY. It takes a third of the time of an INSERT, and adds no row if one of
   * them is refused. Absent if the driver cannot copy.
   */
  copy?: Copy;
  close(): Promise<void>;
}

export type Copy = (table: string, columns: readonly string[], rows: Buffer) => Promise<void>;

/** The ids of PostgreSQL advisory locks, shared by all controls of a database. They must not change between versions. */
export const locks = {
  /** Session lock, held during a migration. */
  migration: 7_213_001,
  /** Transaction lock, held while rows of the catalog are changed. */
  catalog: 7_213_002,
  /** Shared session lock. Its second number is the modification time of a catalog file. */
  catalogFile: 7_213_003,
  /** Transaction lock, held while partitions of the ledger are made or dropped, and what is too old is removed. */
  retention: 7_213_004,
  /** Transaction lock, held alone while roll-ups of an hour by one column each are made, and shared while attempts are added. */
  keyHours: 7_213_006,
} as const;

/** Determines which control of a database has the newest catalog file. */
export interface FileClaims {
  /** Publishes this control's file modification time, in milliseconds since 1970, to the other controls. */
  claim(modifiedAt: number): Promise<void>;
  /** True while this claim is published. A claim is lost with its connection to the database. */
  holds(modifiedAt: number): boolean;
  /** True if another live control has a newer file. Must run in the transaction that applies this control's file. */
  isSuperseded(tx: Database): Promise<boolean>;
  close(): Promise<void>;
}
