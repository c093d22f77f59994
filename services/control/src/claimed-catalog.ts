import type { CatalogFile } from '@model-gateway/catalog';
import type { Log } from '@model-gateway/service';
import { applyCatalog } from './catalog.ts';
import type { Change } from './change.ts';
import type { Database } from './database/database.ts';
import type { FileClaims } from './database/file-claims.ts';

export interface ClaimedCatalogOptions {
  db: Database;
  claims: FileClaims;
  masterKey: Uint8Array;
  log: Log;
  /** Tells the fleet what is different in the record now. */
  changed(changes: Change[]): Promise<void>;
}

/**
 * Makes the record what this control's file says, unless another control that lives has a newer file: during a roll the
 * older of two must not undo what the newer brought. Once the newer one is gone, this control's file is applied.
 */
export class ClaimedCatalog {
  readonly #options: ClaimedCatalogOptions;
  #outdone = false;
  #due = false;

  constructor(options: ClaimedCatalogOptions) {
    this.#options = options;
  }

  /** `modifiedAt`: when the file was last written, in milliseconds since 1970. */
  async apply(catalog: CatalogFile, modifiedAt: number): Promise<void> {
    const { db, claims, masterKey, log, changed } = this.#options;
    // The claim comes first: an older control that applies its file at the same moment is either before this one or sees it.
    await claims.claim(modifiedAt);
    const changes = await applyCatalog(db, masterKey, catalog, tx => claims.isOutdone(tx));
    this.#due = changes === undefined;
    if (changes === undefined && !this.#outdone)
      log.warn('another control has a newer catalog file, so the one of this control is not applied');
    this.#outdone = changes === undefined;
    if (changes && changes.length > 0) await changed(changes);
  }

  /** True if the file must be looked at again although its text is the same. */
  isDue(modifiedAt: number): boolean {
    return this.#due || !this.#options.claims.holds(modifiedAt);
  }

  /** Applies the file again where it is due. */
  async repeat(catalog: CatalogFile, modifiedAt: number): Promise<void> {
    const { claims } = this.#options;
    if (claims.holds(modifiedAt)) return this.apply(catalog, modifiedAt);
    // After the database was away, the others have until the next time to claim, too.
    await claims.claim(modifiedAt);
    this.#due = true;
  }

  /** Set while another control's file is in force. */
  get outdone(): boolean {
    return this.#outdone;
  }
}
