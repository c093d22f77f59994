import { isDeepStrictEqual } from 'node:util';
import { Catalog, discoveredOf, type Model, modelSchema, recordKey, targetsOf } from '@model-gateway/catalog';
import { inArray, sql } from 'drizzle-orm';
import type { Change } from '../common/change.ts';
import type { Database } from '../database/database.ts';
import { discoveredModels, discoveries, nextVersion } from '../database/tables.ts';
import { type Entries, modelChange, readAllEntries } from './entries.ts';

/** The position of the first discovered model in the catalog: after every entry of gateway.yaml and of the API. */
const firstPosition = 2_000_000;
/** The most rows in a statement. */
const rowsAtOnce = 500;

/**
 * Makes the discovered models agree with the providers' last lists and with the entries in force, and returns the changes. The caller
 * has locked the catalog. An entry with the name of a discovered model takes its place.
 */
export async function settleDiscovered(tx: Database): Promise<Change[]> {
  const lists = await tx.select().from(discoveries);
  if (lists.length === 0) return [];
  const entries = await readAllEntries(tx);
  const discovering = new Set(entries.providers.flatMap(({ name, data }) => (data.models ? [name] : [])));
  const ended = lists.map(({ provider }) => provider).filter(name => !discovering.has(name));
  if (ended.length > 0) await tx.delete(discoveries).where(inArray(discoveries.provider, ended));
  const wanted = requestedModels(entries, new Map(lists.map(({ provider, names }) => [provider, names])));
  const rows = await tx.select().from(discoveredModels);
  const before = new Map(rows.map(row => [row.name, row]));
  const changed = wanted.flatMap(({ name, ...data }, at) => {
    const position = firstPosition + at;
    const row = before.get(name);
    before.delete(name);
    const same = row && row.position === position && isDeepStrictEqual(row.data, { name, ...data });
    return same ? [] : [{ name, data: { name, ...data }, position, version: nextVersion }];
  });
  const gone = [...before.keys()];
  if (gone.length > 0) await tx.delete(discoveredModels).where(inArray(discoveredModels.name, gone));
  const stated = new Set(entries.models.map(({ name }) => name));
  return [
    ...(await write(tx, changed)).map(modelChange),
    ...gone
      .filter(name => !stated.has(name))
      .map((name): Change => ({ bucket: 'catalog', key: recordKey('model', name), value: null })),
  ];
}

type NewRow = typeof discoveredModels.$inferInsert | { version: typeof nextVersion };

async function write(tx: Database, changed: (NewRow & { name: string; data: Model; position: number })[]) {
  const set = { data: sql`excluded.data`, position: sql`excluded.position`, version: nextVersion };
  const written: (typeof discoveredModels.$inferSelect)[] = [];
  for (let at = 0; at < changed.length; at += rowsAtOnce)
    written.push(
      ...(await tx
        .insert(discoveredModels)
        .values(changed.slice(at, at + rowsAtOnce))
        .onConflictDoUpdate({ target: discoveredModels.name, set })
        .returning()),
    );
  return written;
}

/** Returns the discovered models that no entry has by name. Of two providers that list the same name, the first has it. */
function requestedModels(
  { providers, models }: Pick<Entries, 'providers' | 'models'>,
  lists: ReadonlyMap<string, readonly string[]>,
): Model[] {
  const stated = new Catalog();
  for (const { key, value } of models.map(modelChange)) stated.put(key, value);
  const wanted = new Map<string, Model>();
  for (const { name: provider, data } of providers) {
    const listed = data.models ? discoveredOf(data.models, lists.get(provider) ?? []) : [];
    for (const { name, model } of listed) {
      if (wanted.has(name)) continue;
      const found = stated.model(name);
      // Only the model of a pattern has a match.
      if (found && found.match === '') continue;
      const settings = found && settingsOf(found, provider, model);
      wanted.set(name, settings ? { ...settings, name } : plain(name, provider, model));
    }
  }
  return [...wanted.values()];
}

/** Returns the settings of a pattern for a discovered model, if the pattern leads to it, too. */
function settingsOf(
  { model: record, match }: NonNullable<ReturnType<Catalog['model']>>,
  provider: string,
  model: string,
): Model | undefined {
  const targets = targetsOf(record, match);
  if (!targets.some(target => target.provider === provider && target.model === model)) return undefined;
  const { version: _version, position: _position, created: _created, ...settings } = record;
  return { ...settings, targets };
}

function plain(name: string, provider: string, model: string): Model {
  return modelSchema.parse({ name, targets: [{ provider, model }] });
}
