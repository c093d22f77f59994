import type { CatalogFile, Sealer } from '@model-gateway/catalog';
import type { Log } from '@model-gateway/service';
import type { Change } from '../common/change.ts';
import type { Database, FileClaims } from '../database/database.ts';
import { applyCatalog } from './catalog.ts';
import { readAllEntries } from './entries.ts';
import { entryProblems } from './problems.ts';

interface ClaimedCatalogOptions {
  db: Database;
  claims: FileClaims;
  sealer: Sealer;
  /** The path of the file. */
  path: string;
  log: Log;
  /** Publishes the changes that were made in the database. */
  changed(changes: Change[]): Promise<void>;
}

/**
 * Writes this control's catalog file to the database, unless another live control has a newer file: during a rolling
 * update the older file must not undo the newer one. Once the newer one is gone, this control's file is applied.
 */
export class ClaimedCatalog {
  readonly #options: ClaimedCatalogOptions;
  #superseded = false;
  #due = false;

  constructor(options: ClaimedCatalogOptions) {
    this.#options = options;
  }

  /** `modifiedAt` is the file's modification time, in milliseconds since 1970. */
  async apply(catalog: CatalogFile, modifiedAt: number): Promise<void> {
    const { db, claims, sealer, path, log, changed } = this.#options;
    // The claim comes first: a control that applies an older file at the same time then sees it, or has already finished.
    await claims.claim(modifiedAt);
    const changes = await applyCatalog(db, sealer, catalog, path, tx => claims.isSuperseded(tx));
    this.#due = changes === undefined;
    if (changes === undefined && !this.#superseded)
      log.warn("another control has a newer catalog file; this control's file is not applied");
    this.#superseded = changes === undefined;
    if (changes && changes.length > 0) await changed(changes);
    const problems = entryProblems(await readAllEntries(db)).map(
      ({ kind, name, text }) => `${kind} ${name}: ${text}`,
    );
    if (problems.length > 0) log.warn({ problems }, 'entries of the API do not fit the catalog file');
  }

  /** True if an unchanged file must be applied again. */
  isDue(modifiedAt: number): boolean {
    return this.#due || !this.#options.claims.holds(modifiedAt);
  }

  /** Applies an unchanged file again if it is due. */
  async repeat(catalog: CatalogFile, modifiedAt: number): Promise<void> {
    const { claims } = this.#options;
    if (claims.holds(modifiedAt)) return this.apply(catalog, modifiedAt);
    // The connection to the database was lost. Other controls get until the next poll to renew their claims.
    await claims.claim(modifiedAt);
    this.#due = true;
  }

  /** A sentence for operators while another control's file is in force. */
  notices(): string[] {
    const { path } = this.#options;
    return this.#superseded ? [`${path}: another control has a newer file, which is in force`] : [];
  }
}
