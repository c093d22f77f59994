import { GatewayError } from '@model-gateway/canonical';
import { eq } from 'drizzle-orm';
import { lockCatalog } from '../audit/catalog-table.ts';
import { recordEvent } from '../audit/record.ts';
import type { Change } from '../common/change.ts';
import { managedByFile } from '../common/managed-by-file.ts';
import type { Database } from '../database/database.ts';
import type { Changer } from './apply-entries.ts';
import { type Entries, readAllEntries } from './entries.ts';
import type { EntryKind } from './kinds.ts';
import { entryProblems } from './problems.ts';
import { settleDiscovered } from './settle.ts';

/**
 * Deletes an entry of the API. Returns the changes to publish; undefined if there is none with this name.
 * @throws GatewayError if it is of gateway.yaml, or if models use it
 */
export async function deleteEntry<Data extends object>(
  db: Database,
  { kind, ofApi, toShown, toChange }: EntryKind<Data, { name: string }>,
  name: string,
  { actor, action, placeOf, admit }: Changer & { admit(inForce: Entries): void },
): Promise<Change[] | undefined> {
  return db.transaction(async tx => {
    await lockCatalog(tx);
    const inForce = await readAllEntries(tx);
    const found = inForce[`${kind}s`].find(entry => entry.name === name);
    if (!found) {
      if (kind === 'model') assertNotDiscovered(name, inForce);
      return undefined;
    }
    admit(inForce);
    if (found.managedBy === 'file') throw managedByFile(kind, name, placeOf);
    assertUnused(kind, name, inForce);
    const [row] = await tx.delete(ofApi).where(eq(ofApi.name, name)).returning();
    if (!row) return undefined;
    const before = toShown(row.data as Data);
    await recordEvent(tx, actor, { action, subject: { kind, name }, before, after: null });
    return [{ ...toChange(row), value: null }, ...(await settleDiscovered(tx))];
  });
}

/** @throws GatewayError if a model is listed by its provider */
function assertNotDiscovered(name: string, { discovered }: Entries): void {
  const found = discovered.find(model => model.name === name);
  if (!found) return;
  const provider = JSON.stringify(found.data.targets[0]?.provider);
  const message = `The model cannot be deleted: the provider ${provider} lists it. Add it to models.exclude of the provider.`;
  throw new GatewayError('invalid-request', message, { code: 'model_discovered' });
}

/** @throws GatewayError that names the models which would have a new problem without the entry */
function assertUnused(kind: 'provider' | 'model', name: string, inForce: Entries): void {
  const list = `${kind}s` as const;
  const without = { ...inForce, [list]: inForce[list].filter(entry => entry.name !== name) };
  const known = new Set(entryProblems(inForce).map(keyOf));
  const users = entryProblems(without).filter(problem => !known.has(keyOf(problem)));
  const names = [...new Set(users.map(user => JSON.stringify(user.name)))];
  if (names.length === 0) return;
  const models = names.length === 1 ? `the model ${names[0]}` : `the models ${names.join(', ')}`;
  const use = kind === 'provider' ? 'use it as a target' : 'name it as a fallback';
  const verb = names.length === 1 ? use.replace(/^(use|name)/, '$1s') : use;
  const message = `The ${kind} cannot be deleted: ${models} ${verb}. Change or delete ${names.length === 1 ? 'it' : 'them'} first.`;
  throw new GatewayError('invalid-request', message, { code: 'entry_in_use' });
}

function keyOf({ kind, name, text }: ReturnType<typeof entryProblems>[number]): string {
  return JSON.stringify([kind, name, text]);
}
