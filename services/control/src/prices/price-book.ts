import { createHash } from 'node:crypto';
import {
  attemptCost,
  Catalog,
  type KeptPrices,
  openKeptPrices,
  type Price,
  type PricedAttempt,
  targetsOf,
} from '@model-gateway/catalog';
import type { Log } from '@model-gateway/service';
import { sql } from 'drizzle-orm';
import { wholeCatalog } from '../catalog.ts';
import type { Database } from '../database/database.ts';
import { prices } from '../database/tables.ts';
import type { LedgerRow } from '../usage/row.ts';

/** The time for which the catalog's prices are used before they are read again, in milliseconds. */
const refreshMs = 5_000;

/** The price of a row, in US dollars, and the version of the prices that it was settled by. */
export interface Settled {
  cost: number;
  priceVersion: string;
}

/**
 * Knows what attempts cost: by the prices of the catalog and, for models without one, by those of a package that lists the
 * vendors' prices.
 */
export class PriceBook {
  readonly #db: Database;
  readonly #log: Log;
  #catalog = new Catalog();
  #readAt = Number.NEGATIVE_INFINITY;
  #kept: KeptPrices | undefined;
  readonly #versions = new WeakMap<Price, string>();
  /** The versions that the database holds. */
  readonly #recorded = new Set<string>();

  constructor(db: Database, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Sets the cost of rows whose usage and price are known, and records the versions of their prices. Counting tokens is free. */
  async settle(rows: readonly LedgerRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#refresh();
    const stated = new Map<string, Price | null>();
    for (const row of rows) {
      const settled = row.known ? this.#settled(row, stated) : undefined;
      row.cost = settled?.cost ?? (row.operation === 'count-tokens' ? 0 : null);
      row.priceVersion = settled?.priceVersion ?? null;
    }
    await this.#record(stated);
  }

  /** Returns the cost of an attempt by the prices that were read last, in US dollars; undefined if its price is unknown. */
  costOf(attempt: PricedAttempt): number | undefined {
    this.keepCurrent();
    return attempt.operation === 'count-tokens' ? 0 : attemptCost(attempt, this.#catalog, this.#kept)?.cost;
  }

  /** Reads the prices again if they are old, for the next {@link costOf}. */
  keepCurrent(): void {
    void this.#refresh().catch(() => {});
  }

  /** Returns the price of a model for a project, at the model's first target; undefined if it is unknown. */
  async priceOf(project: string, model: string): Promise<Price | undefined> {
    await this.#refresh();
    const found = this.#catalog.model(model);
    const [target] = found ? targetsOf(found.model, found.match) : [];
    if (!found || !target) return undefined;
    const stated = this.#catalog.priceFor(project, model) ?? target.price ?? found.model.price;
    const provider = this.#catalog.provider(target.provider);
    return stated ?? (provider && this.#kept?.priceOf(target.model, provider));
  }

  #settled(row: LedgerRow, used: Map<string, Price | null>): Settled | undefined {
    const settled = attemptCost(row, this.#catalog, this.#kept);
    const version = settled?.stated ? this.#versionOf(settled.stated) : this.#kept?.version;
    if (!settled || version === undefined) return undefined;
    used.set(version, settled.stated ?? null);
    return { cost: settled.cost, priceVersion: version };
  }

  #versionOf(price: Price): string {
    let version = this.#versions.get(price);
    if (!version) {
      const hash = createHash('sha256').update(JSON.stringify(price)).digest('hex');
      version = `catalog-${hash.slice(0, 12)}`;
      this.#versions.set(price, version);
    }
    return version;
  }

  async #refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.#readAt < refreshMs) return;
    this.#kept ??= await openKeptPrices().catch(error => this.#withoutPackage(error));
    const catalog = new Catalog();
    for (const { key, value } of await wholeCatalog(this.#db)) catalog.put(key, value);
    this.#catalog = catalog;
    this.#readAt = now;
  }

  /** Logs that the vendors' prices cannot be read. Costs by them are unknown until that works. */
  #withoutPackage(error: unknown): undefined {
    this.#log.error({ err: error }, "the vendors' prices cannot be read: costs by them are unknown");
  }

  async #record(used: ReadonlyMap<string, Price | null>): Promise<void> {
    const missing = [...used].filter(([version]) => !this.#recorded.has(version));
    if (missing.length === 0) return;
    await this.#db
      .insert(prices)
      .values(missing.map(([version, price]) => ({ version, price: price ?? sql`null` })))
      .onConflictDoNothing();
    for (const [version] of missing) this.#recorded.add(version);
  }
}
