import { createHash } from 'node:crypto';
import type { ModelPrice } from '@model-gateway/admin-api';
import {
  attemptCost,
  attemptNames,
  Catalog,
  hasAmounts,
  type KeptPrices,
  type Model,
  openKeptPrices,
  type Price,
  type PricedAttempt,
  type Target,
  targetsOf,
} from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import type { Log } from '@model-gateway/service';
import { sql } from 'drizzle-orm';
import { wholeCatalog } from '../catalog/catalog.ts';
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
  readonly #clock: Clock;
  #catalog = new Catalog();
  #readAt = Number.NEGATIVE_INFINITY;
  #kept: KeptPrices | undefined;
  readonly #versions = new WeakMap<Price, string>();
  /** The versions that the database holds. */
  readonly #recorded = new Set<string>();
  /** The versions that rows were settled by and the database may not hold yet; null for a version of the package. */
  readonly #unrecorded = new Map<string, Price | null>();

  constructor(db: Database, log: Log, clock: Clock) {
    this.#db = db;
    this.#log = log;
    this.#clock = clock;
  }

  /** Sets the cost of a row whose usage and price are known, by the prices that were read last. Counting tokens is free. */
  settle(row: LedgerRow): void {
    const settled = row.known ? this.#settled(row) : undefined;
    row.cost = settled?.cost ?? (row.operation === 'count-tokens' ? 0 : null);
    row.priceVersion = settled?.priceVersion ?? null;
  }

  /** Stores the versions of prices that rows were settled by. */
  async recordVersions(): Promise<void> {
    const missing = [...this.#unrecorded];
    if (missing.length === 0) return;
    await this.#db
      .insert(prices)
      .values(missing.map(([version, price]) => ({ version, price: price ?? sql`null` })))
      .onConflictDoNothing();
    for (const [version] of missing) {
      this.#recorded.add(version);
      this.#unrecorded.delete(version);
    }
  }

  /** Returns the cost of an attempt by the prices that were read last, in US dollars; undefined if its price is unknown. */
  costOf(attempt: PricedAttempt): number | undefined {
    this.keepCurrent();
    return attempt.operation === 'count-tokens' ? 0 : attemptCost(attempt, this.#catalog, this.#kept)?.cost;
  }

  /** Returns the names that label an attempt in metrics, by the catalog that was read last. */
  namesOf(attempt: Pick<LedgerRow, 'model' | 'fallback' | 'provider'>): { model: string; provider: string } {
    return attemptNames(this.#catalog, attempt);
  }

  /** Reads the prices again if they are old, for the next {@link costOf}. */
  keepCurrent(): void {
    void this.refresh().catch(() => {});
  }

  /** Returns the price of a model for a project, at the model's first target; undefined if it is unknown. */
  async priceOf(project: string, model: string): Promise<Price | undefined> {
    await this.refresh();
    return this.#pricesOf(project, model)[0]?.price ?? undefined;
  }

  /**
   * Reads the catalog, and lists the prices of a model, or of all models, at each target, by the prices of a project if one is given. A name with `*` has
   * no price of a vendor.
   */
  async list(project: string | undefined, model: string | undefined): Promise<ModelPrice[]> {
    this.#readAt = Number.NEGATIVE_INFINITY;
    await this.refresh();
    const names = model === undefined ? this.#catalog.allModels().map(({ name }) => name) : [model];
    return names.flatMap(name => this.#pricesOf(project, name));
  }

  #pricesOf(project: string | undefined, name: string): ModelPrice[] {
    // A pattern matches its own name.
    const found = this.#catalog.model(name);
    if (!found) return [];
    return targetsOf(found.model, found.match).map(target => ({
      ...{ model: name, provider: target.provider, upstreamModel: target.model },
      ...this.#priceAt(project, name, found.model, target),
    }));
  }

  #priceAt(
    project: string | undefined,
    name: string,
    model: Model,
    target: Target,
  ): Pick<ModelPrice, 'price' | 'source'> {
    const provider = this.#catalog.provider(target.provider);
    const isName = !target.model.includes('*');
    const vendors = isName && provider ? this.#kept?.priceOf(target.model, provider) : undefined;
    // A price of web searches or service tiers alone leaves the others to the vendor.
    const whole = (stated: Price) => (hasAmounts(stated) ? stated : { ...vendors, ...stated });
    const ofProject = project === undefined ? undefined : this.#catalog.priceFor(project, name);
    if (ofProject) return { price: whole(ofProject), source: 'project' };
    if (target.price) return { price: whole(target.price), source: 'target' };
    if (model.price) return { price: whole(model.price), source: 'model' };
    return vendors ? { price: vendors, source: 'vendor' } : { price: null, source: null };
  }

  #settled(row: LedgerRow): Settled | undefined {
    const settled = attemptCost(row, this.#catalog, this.#kept);
    const version = settled?.stated ? this.#versionOf(settled.stated) : this.#kept?.version;
    if (!settled || version === undefined) return undefined;
    if (!this.#recorded.has(version)) this.#unrecorded.set(version, settled.stated ?? null);
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

  /** Reads the prices again if they are old. */
  async refresh(): Promise<void> {
    const now = this.#clock.monotonic();
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
}
