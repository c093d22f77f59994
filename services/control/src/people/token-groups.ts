import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from '@model-gateway/canonical';
import { recordKey } from '@model-gateway/catalog';
import { and, count, eq, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { applyTable, type CatalogRow, type CatalogTable, lockCatalog } from '../audit/catalog-table.ts';
import type { Actor } from '../audit/record.ts';
import type { Change } from '../common/change.ts';
import { managedByFile, type PlaceOf } from '../common/managed-by-file.ts';
import type { Database } from '../database/database.ts';
import { byName, hasPart } from '../database/name-order.ts';
import type { Page } from '../database/newest-first.ts';
import {
  type CatalogRows,
  type GroupRows,
  nextVersion,
  type ProjectSettings,
  projectSettings,
  projects,
  tokens,
  type UserSettings,
  userSettings,
  users,
} from '../database/tables.ts';
import { assertUserName } from './user-names.ts';

/** Projects or users: groups of tokens whose settings gateway.yaml states, or else the API. */
export interface TokenGroups<Settings extends object> {
  kind: 'project' | 'user';
  rows: GroupRows<Settings>;
  /** The settings of gateway.yaml. */
  ofFile: CatalogRows<Settings & { name: string }>;
  /** The id of a token's group. */
  groupId: AnyPgColumn;
}

export const projectGroups: TokenGroups<ProjectSettings> = {
  kind: 'project',
  rows: projects,
  ofFile: projectSettings,
  groupId: tokens.projectId,
};
export const userGroups: TokenGroups<UserSettings> = {
  kind: 'user',
  rows: users,
  ofFile: userSettings,
  groupId: tokens.ownerId,
};

/** A project or a user. */
export interface TokenGroup<Settings extends object> {
  id: string;
  name: string;
  createdAt: Date;
  /** Version of the settings. */
  version: number;
  /** The settings in force. */
  settings: Partial<Settings>;
  /** The one owner of the settings. */
  managedBy: 'file' | 'api';
}

/** The groups of a query. An absent field names all. */
interface GroupFilter {
  names?: readonly string[] | undefined;
  /** A part of the name. */
  name?: string | undefined;
}

/** Returns the groups that are not deleted, by name: all of them, or one page. */
export async function listGroups<Settings extends object>(
  db: Database,
  groups: TokenGroups<Settings>,
  { names, name }: GroupFilter = {},
  page?: Page<string>,
): Promise<TokenGroup<Settings>[]> {
  const { rows } = groups;
  const which = and(isNull(rows.deletedAt), names && inArray(rows.name, names), hasPart(rows.name, name));
  return readGroups(db, groups, which, page);
}

/** Returns a group; undefined if there is none with this name. */
export async function findGroup<Settings extends object>(
  db: Database,
  groups: TokenGroups<Settings>,
  name: string,
): Promise<TokenGroup<Settings> | undefined> {
  const { rows } = groups;
  return (await readGroups(db, groups, and(eq(rows.name, name), isNull(rows.deletedAt))))[0];
}

/** Returns a group, and locks it until the transaction ends. */
export async function lockGroup<Settings extends object>(
  tx: Database,
  groups: TokenGroups<Settings>,
  name: string,
): Promise<TokenGroup<Settings> | undefined> {
  const { rows } = groups;
  // Rows that refer to the group, such as a session, may be added meanwhile: waiting for each other would be a deadlock.
  await tx.select({ id: rows.id }).from(rows).where(eq(rows.name, name)).for('no key update');
  return findGroup(tx, groups, name);
}

interface SetOptions<Settings extends object> {
  placeOf: PlaceOf;
  /** The path of the group in a document, for an error. */
  param?: string;
  /** May refuse the change of the group as it is. */
  admit?(tx: Database, before: TokenGroup<Settings> | undefined): Promise<void>;
}

/**
 * Sets the settings of a group, which is created if its name is new. @throws GatewayError if gateway.yaml states it with other
 * settings
 */
export async function setGroup<Settings extends object>(
  db: Database,
  groups: TokenGroups<Settings>,
  name: string,
  wanted: { [Field in keyof Settings]?: Settings[Field] | null | undefined },
  { placeOf, param, admit }: SetOptions<Settings>,
): Promise<{ group: TokenGroup<Settings>; before: TokenGroup<Settings> | undefined }> {
  const { kind, rows } = groups;
  return db.transaction(async tx => {
    await lockCatalog(tx);
    if (kind === 'user') await assertUserName(tx, name, 'name');
    // One transaction alone makes the row, also while a token of the group is made.
    await tx.insert(rows).values({ name, deletedAt: sql`now()` }).onConflictDoNothing();
    const before = await lockGroup(tx, groups, name);
    await admit?.(tx, before);
    const given = Object.entries(wanted).filter(([, value]) => value != null);
    const settings = Object.fromEntries(given) as Settings;
    if (before?.managedBy === 'file') {
      if (!isDeepStrictEqual(before.settings, settings)) throw managedByFile(kind, name, placeOf, param);
      return { before, group: before };
    }
    const values = { settings, version: nextVersion, deletedAt: null };
    await tx.update(rows).set(values).where(eq(rows.name, name));
    return { before, group: (await findGroup(tx, groups, name)) as TokenGroup<Settings> };
  });
}

/**
 * Deletes a group without tokens. `prepare` runs before that. Returns false if there is none with this name.
 * @throws GatewayError if gateway.yaml states it, or if it has tokens
 */
export async function deleteGroup<Settings extends object>(
  db: Database,
  groups: TokenGroups<Settings>,
  name: string,
  placeOf: PlaceOf,
  prepare: (tx: Database, group: TokenGroup<Settings>) => Promise<void> = async () => {},
): Promise<boolean> {
  const { kind, rows, groupId } = groups;
  return db.transaction(async tx => {
    await lockCatalog(tx);
    // A token that is created at the same time waits for this row, and then brings the group back.
    const group = await lockGroup(tx, groups, name);
    if (!group) return false;
    if (group.managedBy === 'file') throw managedByFile(kind, name, placeOf);
    const [left] = await tx
      .select({ number: count() })
      .from(tokens)
      .where(and(eq(groupId, group.id), isNull(tokens.revokedAt)));
    if (left && left.number > 0) throw tokensExist(kind, left.number);
    await prepare(tx, group);
    const values = { settings: {} as Settings, version: nextVersion, deletedAt: sql`now()` };
    await tx.update(rows).set(values).where(eq(rows.id, group.id));
    return true;
  });
}

function tokensExist(kind: TokenGroups<object>['kind'], number: number): GatewayError {
  const [tokens, them] = number === 1 ? ['1 token', 'it'] : [`${number} tokens`, 'them'];
  const message = `The ${kind} has ${tokens}. Revoke ${them} first.`;
  return new GatewayError('invalid-request', message, { code: 'tokens_exist' });
}

/**
 * Makes the settings that gateway.yaml states of a group those of the API. Returns the group; undefined if gateway.yaml does not
 * state it.
 */
export async function adoptGroup<Settings extends object>(
  tx: Database,
  groups: TokenGroups<Settings>,
  name: string,
): Promise<TokenGroup<Settings> | undefined> {
  const { rows, ofFile } = groups;
  const [stated] = await tx.delete(ofFile).where(eq(ofFile.name, name)).returning();
  if (!stated) return undefined;
  const { name: _, ...settings } = stated.data;
  const values = { settings: settings as unknown as Settings, version: nextVersion };
  await tx.update(rows).set(values).where(eq(rows.name, name));
  return findGroup(tx, groups, name);
}

/** Returns the id of a group, which is created if its name is new, and brought back if it was deleted. */
export async function ensureGroup<Settings extends object>(
  tx: Database,
  { rows }: TokenGroups<Settings>,
  name: string,
): Promise<string> {
  await addGroups(tx, rows, [name]);
  const [group] = await tx.select({ id: rows.id }).from(rows).where(eq(rows.name, name));
  if (!group) throw new Error('a row that was just written is not there');
  return group.id;
}

/** Writes the entries of gateway.yaml, and returns the changes of the settings in force. */
export async function applyGroups<Settings extends object>(
  tx: Database,
  groups: TokenGroups<Settings>,
  entries: (Settings & { name: string })[],
  actor: Actor,
): Promise<Change[]> {
  const { rows } = groups;
  const { written, gone } = await applyTable(tx, fileTable(groups), entries, actor);
  await addGroups(
    tx,
    rows,
    entries.map(({ name }) => name),
  );
  const names = [...written.map(({ name }) => name), ...gone];
  if (names.length === 0) return [];
  const changed = await readGroups(tx, groups, inArray(rows.name, names));
  return changed.map(group => groupChange(groups, group));
}

/** Returns those of some groups whose settings are of the API. One without settings may be stated by gateway.yaml. */
export async function groupsOfApi<Settings extends object>(
  tx: Database,
  { kind, rows }: TokenGroups<Settings>,
  entries: readonly { name: string }[],
): Promise<{ kind: TokenGroups<Settings>['kind']; name: string }[]> {
  const names = entries.map(({ name }) => name);
  if (names.length === 0) return [];
  const found = await tx
    .select({ name: rows.name })
    .from(rows)
    .where(and(inArray(rows.name, names), sql`${rows.settings} <> '{}'`));
  return found.map(({ name }) => ({ kind, name }));
}

/** The table of a file's entries. */
export function fileTable<Settings extends object>({
  kind,
  ofFile,
}: TokenGroups<Settings>): CatalogTable<Settings & { name: string }, Settings & { name: string }> {
  return { kind, table: ofFile, toData: entry => entry, isSame: isDeepStrictEqual };
}

/** Returns the changes that publish every group with settings in KV. */
export async function allGroupChanges<Settings extends object>(
  db: Database,
  groups: TokenGroups<Settings>,
): Promise<Change[]> {
  const { rows, ofFile } = groups;
  const inFile = inArray(rows.name, db.select({ name: ofFile.name }).from(ofFile));
  const found = await readGroups(db, groups, or(sql`${rows.settings} <> '{}'`, inFile));
  return found.map(group => groupChange(groups, group)).filter(({ value }) => value !== null);
}

/** Returns the change that publishes a group in KV: its removal if it has no settings. */
export function groupChange<Settings extends object>(
  { kind }: Pick<TokenGroups<Settings>, 'kind'>,
  { name, version, settings }: Pick<TokenGroup<Settings>, 'name' | 'version' | 'settings'>,
): Change {
  const value = Object.keys(settings).length > 0 ? { name, ...settings, version } : null;
  return { bucket: 'catalog', key: recordKey(kind, name), value };
}

/** Creates the groups that are new, and brings deleted ones back. */
async function addGroups<Settings extends object>(
  tx: Database,
  rows: GroupRows<Settings>,
  names: string[],
): Promise<void> {
  if (names.length === 0) return;
  await tx
    .insert(rows)
    .values(names.map(name => ({ name })))
    .onConflictDoUpdate({
      target: rows.name,
      set: { deletedAt: null },
      setWhere: isNotNull(rows.deletedAt),
    });
}

/** Reads groups by name: all of them, or one page. */
async function readGroups<Settings extends object>(
  db: Database,
  { rows, ofFile }: TokenGroups<Settings>,
  which: SQL | undefined,
  page: Partial<Page<string>> = {},
): Promise<TokenGroup<Settings>[]> {
  const { order, isAfter } = byName(rows.name);
  const query = db
    .select({ row: rows, file: ofFile })
    .from(rows)
    .leftJoin(ofFile, eq(ofFile.name, rows.name))
    .where(and(which, isAfter(page.after)))
    .orderBy(order);
  const found = await (page.limit === undefined ? query : query.limit(page.limit));
  return found.map(({ row, file }) => toGroup(row, file));
}

function toGroup<Settings extends object>(
  { id, name, createdAt, settings, version }: GroupRows<Settings>['$inferSelect'],
  file: CatalogRow<Settings & { name: string }> | null,
): TokenGroup<Settings> {
  const group = { id, name, createdAt };
  if (!file) return { ...group, version, settings, managedBy: 'api' };
  const { name: _, ...stated } = file.data;
  return {
    ...group,
    version: file.version,
    settings: stated as unknown as Partial<Settings>,
    managedBy: 'file',
  };
}
