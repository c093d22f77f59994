import { existsSync, readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { columnsOf, violations } from './columns.ts';
import { journal, migrateTo, migrationHashes } from './migrations.ts';
import { beforeFile, recordVersion } from './record.ts';
import { replay, type VersionBefore } from './statements.ts';

/** Before the first release, this version stands for the one before. */
const before: VersionBefore = existsSync(beforeFile)
  ? JSON.parse(readFileSync(beforeFile, 'utf8'))
  : await recordVersion();
const tags = Object.keys(before.migrations);

let client: PGlite;
beforeAll(async () => {
  client = await PGlite.create();
});
beforeEach(async () => {
  await client.exec('drop schema if exists public, drizzle cascade; create schema public');
});
afterAll(() => client?.close());

// See "Changing stored data" in CONTRIBUTING.md.
describe('the database', () => {
  test("the database keeps the old version's migrations unchanged, and later ones follow them", () => {
    const now = migrationHashes();
    expect(Object.entries(now).slice(0, tags.length)).toEqual(Object.entries(before.migrations));
    // A migration older than the last applied one would be skipped.
    const times = journal().entries.map(({ when }) => when);
    expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
  });

  test('the database keeps every column and row that the old version uses, over all later migrations', async () => {
    await migrateTo(client, tags);
    const writes = await replay(client, before.writes);
    const found = await replay(client, before.reads, writes);
    const columns = await columnsOf(client);
    await migrateTo(client);
    expect(violations(columns, await columnsOf(client))).toEqual([]);
    expect(await replay(client, before.reads, writes)).toEqual(found);
    expect(found.flat().length).toBeGreaterThan(10);
  });

  test('roll-ups add up to what the old version writes before and after the migration', async () => {
    const counts = async () => {
      const sums = ['count(*) from usage', 'sum(attempts) from usage_hours', 'sum(attempts) from usage_days'];
      const query = `select ${sums.map(sum => `(select ${sum})::int`).join(', ')}`;
      return (await client.query<number[]>(query, [], { rowMode: 'array' })).rows[0];
    };
    await migrateTo(client, tags);
    const writes = await replay(client, before.writes);
    await migrateTo(client);
    const [rows] = (await counts()) ?? [];
    expect(rows).toBeGreaterThan(0);
    expect(await counts()).toEqual([rows, rows, rows]);
    await client.exec('truncate usage, usage_hours, usage_days');
    const ledger = before.writes.filter(({ sql }) => sql.startsWith('insert into "usage" '));
    await replay(client, ledger, writes);
    expect(await counts()).toEqual([rows, rows, rows]);
  });

  test('the database of this version accepts every statement of the old version as before', async () => {
    await migrateTo(client);
    await replay(client, [...before.writes, ...before.reads]);
  });
});
