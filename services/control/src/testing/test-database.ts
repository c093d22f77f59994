import { rmSync } from 'node:fs';
import { createLog, type Settings } from '@model-gateway/service';
import type { OpenDatabase } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { newDataFolder } from './data-folder.ts';
import { hasPostgres, newPostgresDatabase } from './shared-postgres.ts';

/** The kinds of database that control works with. */
export const databaseKinds = ['PGlite', 'PostgreSQL'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** True if a kind is not on this machine. */
export function isMissing(kind: DatabaseKind): boolean {
  return kind === 'PostgreSQL' && !hasPostgres;
}

/** An open database of a test or a file, at first without rows. */
export interface TestDatabase extends OpenDatabase {
  /** Opens it as another control does. */
  openAgain(): Promise<OpenDatabase>;
  /** Closes and removes it. */
  remove(): Promise<void>;
}

/** Opens a migrated database without rows. */
export async function openTestDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  const { settings, remove } = await newDatabase(kind);
  const openAgain = () => openDatabase(settings, createLog('control', 'silent'));
  const database = await openAgain();
  return {
    ...database,
    openAgain,
    async remove() {
      await database.close();
      await remove();
    },
  };
}

/** Makes a migrated database without rows, which nothing has open. */
export async function newDatabase(kind: DatabaseKind): Promise<NewDatabase> {
  return kind === 'PGlite' ? newEmbedded() : newOnServer();
}

interface NewDatabase {
  settings: Settings<'DATABASE_URL' | 'GATEWAY_DATA'>;
  remove(): Promise<void> | void;
}

async function newEmbedded(): Promise<NewDatabase> {
  const GATEWAY_DATA = await newDataFolder();
  return {
    settings: { GATEWAY_DATA, DATABASE_URL: undefined },
    remove: () => rmSync(GATEWAY_DATA, { recursive: true }),
  };
}

async function newOnServer(): Promise<NewDatabase> {
  const { url, drop } = await newPostgresDatabase();
  return { settings: { GATEWAY_DATA: '', DATABASE_URL: url }, remove: drop };
}
