import type { CatalogFile, Sealer } from '@model-gateway/catalog';
import { lockCatalog } from '../audit/catalog-table.ts';
import type { Database } from '../database/database.ts';
import { projectGroups, userGroups } from '../people/token-groups.ts';
import { type Applied, type ApplyOptions, applyEntries, type Changer } from './apply-entries.ts';
import { applyGroupSettings } from './apply-groups.ts';
import { type Entries, readAllEntries } from './entries.ts';
import { modelKind, providerKind } from './kinds.ts';
import { readDocument } from './read-document.ts';
import { type References, referenceProblems, referenceSentence } from './references.ts';
import { invalidEntries } from './refusal.ts';
import { settleDiscovered } from './settle.ts';

/** The one who changes the catalog, and what the API may do. */
export interface CatalogChanger extends Changer {
  /** Seals secrets of providers. */
  sealer: Sealer;
  references: References;
}

interface DocumentOptions extends ApplyOptions {
  /** True if nothing is written. */
  isDryRun: boolean;
  /** Throws if the change is not to be made, once the catalog is locked. */
  admit?(inForce: Entries): void;
}

/** Ends the transaction of a dry run. */
class DryRun extends Error {
  readonly applied: Applied;

  constructor(applied: Applied) {
    super('dry run');
    this.applied = applied;
  }
}

/**
 * Makes the API's entries equal to those of a document in the form of gateway.yaml, in one transaction.
 * @throws GatewayError if an entry is invalid, or is another one in gateway.yaml
 */
export async function applyDocument(
  db: Database,
  input: unknown,
  changer: CatalogChanger,
  options: DocumentOptions,
): Promise<Applied> {
  const { sealer, references } = changer;
  const applying = db.transaction(async tx => {
    await lockCatalog(tx);
    const inForce = await readAllEntries(tx);
    options.admit?.(inForce);
    const others = options.prune ? ofFile(inForce) : inForce;
    const { within, prune } = options;
    // What a pruning document lacks is deleted: an empty list must be stated.
    const document = readDocument(input, { inForce, others, sealer, within, mayLackLists: !prune });
    const applied = await applyParts(tx, document, inForce, { ...changer, ...options });
    assertReferences(document, applied, references, options.within);
    if (options.isDryRun) throw new DryRun(applied);
    return applied;
  });
  return applying.catch(thrown => {
    if (thrown instanceof DryRun) return thrown.applied;
    throw thrown;
  });
}

async function applyParts(
  tx: Database,
  { providers, models, projects, users }: CatalogFile,
  inForce: Entries,
  options: CatalogChanger & ApplyOptions,
): Promise<Applied> {
  const kind = providerKind(options.sealer);
  const parts = [
    await applyEntries(tx, kind, providers, inForce.providers, options),
    await applyEntries(tx, modelKind, models, inForce.models, options),
    await applyGroupSettings(tx, projectGroups, projects, options),
    await applyGroupSettings(tx, userGroups, users, options),
  ];
  return {
    changes: parts.flatMap(({ changes }) => changes),
    published: [...parts.flatMap(({ published }) => published), ...(await settleDiscovered(tx))],
  };
}

function ofFile({ providers, models }: Entries): Entries {
  const isOfFile = ({ managedBy }: { managedBy: string }) => managedBy === 'file';
  const none = { discovered: [], lists: [] };
  return { providers: providers.filter(isOfFile), models: models.filter(isOfFile), ...none };
}

/** @throws GatewayError if a provider that is written names a variable or a file that the API may not name */
function assertReferences(
  { providers }: CatalogFile,
  { changes }: Applied,
  allowed: References,
  within: string | undefined,
): void {
  const written = new Set(
    changes
      .filter(({ kind, change }) => kind === 'provider' && change !== 'unchanged')
      .map(({ name }) => name),
  );
  const problems = providers.flatMap((provider, at) => {
    if (!written.has(provider.name)) return [];
    const found = referenceProblems(provider, allowed);
    return found.map(problem => ({ ...problem, path: `providers[${at}].${problem.path}` }));
  });
  if (problems.length > 0) throw invalidEntries(problems, within, shown => referenceSentence(shown, allowed));
}
