import { readFileSync } from 'node:fs';
import { createLog } from '@model-gateway/service';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { databaseKinds, isMissing, newDatabase } from '../testing/test-database.ts';
import { openDatabase } from './open.ts';
import * as peopleTables from './people-tables.ts';
import * as rollupTables from './rollup-tables.ts';
import * as tables from './tables.ts';

test('the migrations make the tables of the code', async () => {
  const meta = new URL('../../migrations/meta/', import.meta.url);
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, meta), 'utf8'));
  const last = read('_journal.json').entries.at(-1).idx;
  const migrated = read(`${String(last).padStart(4, '0')}_snapshot.json`);
  const stated = generateDrizzleJson({ ...tables, ...rollupTables, ...peopleTables }, migrated.id);
  expect(Object.keys(stated.tables).length).toBeGreaterThan(20);
  expect(await generateMigration(migrated, stated)).toEqual([]);
});

for (const kind of databaseKinds)
  test.skipIf(isMissing(kind))(`a database on ${kind} of a version before 0.1.0 is refused`, async () => {
    const { settings, remove } = await newDatabase(kind);
    const open = () => openDatabase(settings, createLog('control', 'silent'));
    const database = await open();
    await database.db.execute(sql`update drizzle.__drizzle_migrations set hash = 'other' where id = 1`);
    await database.close();
    await expect(open()).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/cannot be used: it was made by a version before 0\.1\.0/),
    });
    await remove();
  });
