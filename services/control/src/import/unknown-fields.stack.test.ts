import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openKeptPrices } from '@model-gateway/catalog';
import { expect, test } from 'vitest';
import { newDataFolder } from '../testing/data-folder.ts';
import { createNewApiDatabase } from '../testing/new-api-database.ts';
import { newApiSample } from '../testing/new-api-sample.ts';
import { unreportedFields } from '../testing/unknown-fields.ts';
import { importLitellm } from './litellm/litellm.ts';
import { readConfig } from './litellm/read-config.ts';
import { readNewApi } from './new-api/database.ts';
import { importNewApi } from './new-api/new-api.ts';
import { rowsOf } from './table-file.ts';

const now = new Date('2026-01-01T00:00:00Z');
const file = (name: string) => fileURLToPath(new URL(`fixtures/litellm/${name}`, import.meta.url));
const rows = (name: string) => rowsOf(readFileSync(file(name), 'utf8'), name);

test('a field that is unknown is reported, wherever it is in a config of LiteLLM', () => {
  const convert = (config: unknown) =>
    importLitellm({ config, keys: [], teams: [], users: [], budgets: [], variables: {}, now });
  const { places, silent } = unreportedFields(readConfig(file('config.yaml')), convert);
  expect(silent).toEqual([]);
  expect(places).toBeGreaterThan(100);
});

test('a field that is unknown is reported, wherever it is in the rows of LiteLLM', () => {
  const tables = {
    ...{ keys: rows('keys.jsonl'), teams: rows('teams.json'), users: rows('users.json') },
    budgets: rows('budgets.json'),
  };
  const convert = (source: typeof tables) => importLitellm({ config: {}, ...source, variables: {}, now });
  const each = Object.keys(tables) as (keyof typeof tables)[];
  for (const table of each) {
    const { silent } = unreportedFields({ [table]: tables[table] }, changed =>
      convert({ ...tables, ...changed }),
    );
    expect(silent.filter(path => path !== '')).toEqual([]);
  }
});

test('a column, option or table that is unknown is reported, wherever it is in a database of new-api', async () => {
  const path = join(await newDataFolder(), 'one-api.db');
  createNewApiDatabase(path, newApiSample());
  const kept = await openKeptPrices();
  const { others, ...source } = readNewApi(path);
  const { places, silent } = unreportedFields(source, changed =>
    importNewApi({ ...changed, others }, kept, now),
  );
  expect(silent.filter(place => place !== '')).toEqual([]);
  expect(places).toBeGreaterThan(25);
  const { remarks } = importNewApi({ ...source, others: { zz_table: 2 } }, kept, now);
  expect(remarks).toContainEqual({
    ...{ path: 'zz_table', outcome: 'lost' },
    reason: '2 rows: The importer does not know this table.',
  });
});
