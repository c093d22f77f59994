import type { EntryChange } from '@model-gateway/admin-api';
import { inArray, sql } from 'drizzle-orm';
import type { CatalogRow } from '../audit/catalog-table.ts';
import { type Actor, type AuditEvent, recordEvent } from '../audit/record.ts';
import type { Change } from '../common/change.ts';
import { managedByFile, type PlaceOf } from '../common/managed-by-file.ts';
import type { Database } from '../database/database.ts';
import { nextVersion } from '../database/tables.ts';
import { differences } from './differences.ts';
import type { Entry } from './entries.ts';
import type { EntryKind } from './kinds.ts';
import { withoutDefaults } from './shown.ts';

/** The one who changes entries, and the act of the API. */
export interface Changer {
  actor: Actor;
  action: AuditEvent['action'];
  placeOf: PlaceOf;
}

/** The changes of entries, and those to publish. */
export interface Applied {
  changes: EntryChange[];
  published: Change[];
}

export interface ApplyOptions {
  /**
   * True if entries of the API that are not wanted are deleted, and the others get the order of those that are. Else an entry that
   * exists keeps its place.
   */
  prune: boolean;
  /** The path of the only entry, which errors leave out. */
  within?: string;
}

/** The position of the first entry of the API in the catalog: after every entry of gateway.yaml. */
export const firstPosition = 1_000_000;

/** Writes entries of the API. Those of gateway.yaml must be as wanted. @throws GatewayError if one is not */
export async function applyEntries<Data extends object, Requested extends { name: string }>(
  tx: Database,
  kind: EntryKind<Data, Requested>,
  wanted: readonly Requested[],
  inForce: readonly Entry<Data>[],
  { prune, within, ...changer }: ApplyOptions & Changer,
): Promise<Applied> {
  const stated = new Map(inForce.filter(isOfFile).map(entry => [entry.name, entry]));
  for (const [at, entry] of wanted.entries()) {
    const found = stated.get(entry.name);
    const path = `${kind.kind}s[${at}]`;
    if (found && !kind.isSame(found.data, entry))
      throw managedByFile(kind.kind, entry.name, changer.placeOf, path === within ? undefined : path);
  }
  const rows = await tx.select().from(kind.ofApi).orderBy(kind.ofApi.position, kind.ofApi.name);
  const names = new Set(wanted.map(({ name }) => name));
  const gone = prune ? rows.filter(({ name }) => !names.has(name)) : [];
  const own = wanted.filter(({ name }) => !stated.has(name));
  const kept = prune ? rows.filter(({ name }) => names.has(name)) : rows;
  const written = await writeEntries(tx, kind, own, kept, positionsOf(own, kept, prune));
  const goneNames = gone.map(({ name }) => name);
  if (gone.length > 0) await tx.delete(kind.ofApi).where(inArray(kind.ofApi.name, goneNames));
  const before = new Map(rows.map(row => [row.name, row]));
  const changes = [
    ...wanted.map(entry => changeOf(kind, entry, before, stated)),
    ...gone.map(row => deletionOf(kind, row)),
  ];
  await recordChanges(tx, kind, changes, before, written, changer);
  return {
    changes,
    published: [
      ...written.map(row => kind.toChange({ ...row, managedBy: 'api' })),
      ...gone.map((row): Change => ({ ...kind.toChange(row), value: null })),
    ],
  };
}

function isOfFile({ managedBy }: Entry<unknown>): boolean {
  return managedBy === 'file';
}

/** Returns the position of each wanted entry by its name; `rows` are in their order. */
function positionsOf(
  own: readonly { name: string }[],
  rows: readonly { name: string; position: number }[],
  isOrdered: boolean,
): Map<string, number> {
  if (isOrdered) return new Map(own.map(({ name }, at) => [name, firstPosition + at]));
  const positions = new Map(rows.map(({ name, position }) => [name, position]));
  let next = (rows.at(-1)?.position ?? firstPosition - 1) + 1;
  for (const { name } of own) if (!positions.has(name)) positions.set(name, next++);
  return positions;
}

/** The most rows in a statement. */
const rowsAtOnce = 500;

/** Writes the entries that differ in content or position, and returns their rows. */
async function writeEntries<Data extends object, Requested extends { name: string }>(
  tx: Database,
  { ofApi, isSame, toData }: EntryKind<Data, Requested>,
  own: readonly Requested[],
  rows: readonly CatalogRow<Data>[],
  positions: ReadonlyMap<string, number>,
): Promise<CatalogRow<Data>[]> {
  const known = new Map(rows.map(row => [row.name, row]));
  const values = own.flatMap(entry => {
    const { name } = entry;
    const row = known.get(name);
    const same = row && isSame(row.data, entry);
    const position = positions.get(name) ?? firstPosition;
    if (same && row.position === position) return [];
    return { name, data: same ? row.data : toData(entry), position, version: nextVersion };
  });
  const set = { data: sql`excluded.data`, position: sql`excluded.position`, version: nextVersion };
  const written: CatalogRow<Data>[] = [];
  for (let at = 0; at < values.length; at += rowsAtOnce) {
    const some = await tx
      .insert(ofApi)
      .values(values.slice(at, at + rowsAtOnce))
      .onConflictDoUpdate({ target: ofApi.name, set })
      .returning();
    written.push(...some);
  }
  return written;
}

function changeOf<Data extends object, Requested extends { name: string }>(
  { kind, isSame, toPlain, toData }: EntryKind<Data, Requested>,
  entry: Requested,
  before: ReadonlyMap<string, CatalogRow<Data>>,
  stated: ReadonlyMap<string, Entry<Data>>,
): EntryChange {
  const { name } = entry;
  const row = before.get(name);
  if (stated.has(name) || (row && isSame(row.data, entry)))
    return { kind, name, change: 'unchanged', fields: [] };
  const after = toPlain(toData(entry));
  return row
    ? { kind, name, change: 'changed', fields: differences(toPlain(row.data), after) }
    : { kind, name, change: 'created', fields: differences(null, withoutDefaults(after)) };
}

function deletionOf<Data extends object>(
  { kind, toPlain }: Pick<EntryKind<Data, { name: string }>, 'kind' | 'toPlain'>,
  { name, data }: CatalogRow<Data>,
): EntryChange {
  return { kind, name, change: 'deleted', fields: differences(withoutDefaults(toPlain(data)), null) };
}

async function recordChanges<Data extends object>(
  tx: Database,
  { kind, toShown }: Pick<EntryKind<Data, { name: string }>, 'kind' | 'toShown'>,
  changes: readonly EntryChange[],
  before: ReadonlyMap<string, CatalogRow<Data>>,
  written: readonly CatalogRow<Data>[],
  { actor, action }: Pick<Changer, 'actor' | 'action'>,
): Promise<void> {
  const after = new Map(written.map(row => [row.name, row]));
  const shown = (row: CatalogRow<Data> | undefined) => (row ? toShown(row.data) : null);
  const acts = changes
    .filter(({ change }) => change !== 'unchanged')
    .map(({ name }): AuditEvent => {
      const subject = { kind, name };
      return { action, subject, before: shown(before.get(name)), after: shown(after.get(name)) };
    });
  await recordEvent(tx, actor, ...acts);
}
