import { GatewayError } from '@model-gateway/canonical';
import type { Provider, RecordKind, StoredProvider } from '@model-gateway/catalog';
import { eq, inArray, max } from 'drizzle-orm';
import { lockCatalog } from '../audit/catalog-table.ts';
import { type AuditEvent, recordEvent } from '../audit/record.ts';
import type { Change } from '../common/change.ts';
import type { Database } from '../database/database.ts';
import { nextVersion } from '../database/tables.ts';
import {
  adoptGroup,
  findGroup,
  groupChange,
  projectGroups,
  type TokenGroups,
  userGroups,
} from '../people/token-groups.ts';
import { firstPosition } from './apply-entries.ts';
import type { CatalogChanger } from './change-catalog.ts';
import { type EntryKind, modelKind, providerKind } from './kinds.ts';
import { referenceProblems, referenceSentence } from './references.ts';
import { invalidEntries } from './refusal.ts';
import { settleDiscovered } from './settle.ts';

/** An entry of gateway.yaml or of the database. */
export interface EntryRef {
  kind: RecordKind;
  name: string;
}

/**
 * Moves an entry of gateway.yaml to the database, as it is. Returns the changes to publish; none if it is of the database already.
 * @throws GatewayError if there is no such entry, or if it names what the API may not name
 */
export async function adoptEntry(
  db: Database,
  { kind, name }: EntryRef,
  { actor, action, sealer, references }: CatalogChanger,
): Promise<Change[]> {
  return db.transaction(async tx => {
    await lockCatalog(tx);
    const record = async (more: Partial<AuditEvent['subject']> = {}) => {
      const subject = { kind, name, ...more };
      const ofProject = kind === 'project' ? { project: name } : {};
      const [before, after] = [{ managedBy: 'file' }, { managedBy: 'api' }];
      await recordEvent(tx, actor, { action, subject, ...ofProject, before, after });
    };
    switch (kind) {
      case 'provider':
        return moveEntry(tx, providerKind(sealer), name, async data => {
          const problems = referenceProblems(statedReferences(data), references);
          if (problems.length > 0)
            throw invalidEntries(problems, '', shown => referenceSentence(shown, references));
          await record();
        });
      case 'model':
        return moveEntry(tx, modelKind, name, () => record());
      case 'project':
        return moveGroup(tx, projectGroups, name, record);
      case 'user':
        return moveGroup(tx, userGroups, name, record);
    }
  });
}

async function moveEntry<Data extends object>(
  tx: Database,
  { kind, ofFile, ofApi, toChange }: EntryKind<Data, never>,
  name: string,
  admit: (data: Data) => Promise<void>,
): Promise<Change[]> {
  const [row] = await tx.delete(ofFile).where(eq(ofFile.name, name)).returning();
  if (!row) {
    const [own] = await tx.select({ name: ofApi.name }).from(ofApi).where(eq(ofApi.name, name));
    if (!own) throw noSuchEntry(kind);
    return [];
  }
  await admit(row.data as Data);
  const [last] = await tx.select({ position: max(ofApi.position) }).from(ofApi);
  const position = (last?.position ?? firstPosition - 1) + 1;
  const values = { ...row, position, version: nextVersion };
  const moved = await tx.insert(ofApi).values(values).returning();
  return [...moved.map(each => toChange({ ...each, managedBy: 'api' })), ...(await settleDiscovered(tx))];
}

async function moveGroup<Settings extends object>(
  tx: Database,
  groups: TokenGroups<Settings>,
  name: string,
  record: (subject: { id: string }) => Promise<void>,
): Promise<Change[]> {
  const group = await adoptGroup(tx, groups, name);
  if (group) {
    await record({ id: group.id });
    return [groupChange(groups, group)];
  }
  if (!(await findGroup(tx, groups, name))) throw noSuchEntry(groups.kind);
  return [];
}

function noSuchEntry(kind: RecordKind): GatewayError {
  return new GatewayError('not-found', `There is no such ${kind}.`, { code: `${kind}_not_found` });
}

/** Returns a stored provider with the variables and files that it names. Secrets that are sealed name none. */
function statedReferences(stored: StoredProvider): Provider {
  const references = Object.entries(stored.headers).filter(([, value]) => !('sealed' in value));
  return { ...stored, headers: Object.fromEntries(references) } as Provider;
}

/** Entries that gateway.yaml states, and that are of the database. Until they leave one of the two, the file is not applied. */
export class OwnedByDatabase extends Error {
  readonly entries: readonly EntryRef[];

  constructor(entries: readonly EntryRef[]) {
    super(`gateway.yaml states entries of the database: ${entries.map(({ name }) => name).join(', ')}`);
    this.entries = entries;
  }
}

/** Returns those of some names whose providers or models are of the database. */
export async function entriesOfApi<Data extends object>(
  tx: Database,
  { kind, ofApi }: Pick<EntryKind<Data, never>, 'kind' | 'ofApi'>,
  entries: readonly { name: string }[],
): Promise<EntryRef[]> {
  const names = entries.map(({ name }) => name);
  if (names.length === 0) return [];
  const found = await tx.select({ name: ofApi.name }).from(ofApi).where(inArray(ofApi.name, names));
  return found.map(({ name }) => ({ kind, name }));
}
