import { readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { beforeFile, journal, migrateTo, migrationHashes } from './migrations.ts';
import { schemaOf, violations } from './schema.ts';

/** The migrations of the version that was recorded last. */
const before: Record<string, string> = JSON.parse(readFileSync(beforeFile, 'utf8'));
const tags = Object.keys(before);

// See "Changing stored data" in CONTRIBUTING.md.
test("the database keeps the old version's migrations unchanged, and later ones follow them", () => {
  expect(Object.entries(migrationHashes()).slice(0, tags.length)).toEqual(Object.entries(before));
  // A migration older than the last applied one would be skipped.
  const times = journal().entries.map(({ when }) => when);
  expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
});

test('the database keeps every table as the old version uses it, over all later migrations', async () => {
  const client = await PGlite.create();
  await migrateTo(client, tags);
  const old = await schemaOf(client);
  expect(old.columns.length).toBeGreaterThan(tags.length);
  expect(old.rules.length).toBeGreaterThan(tags.length);
  await migrateTo(client);
  expect(violations(old, await schemaOf(client))).toEqual([]);
  await client.close();
});
