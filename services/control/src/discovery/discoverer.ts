import { refreshMs, type StoredProvider } from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import type { Log } from '@model-gateway/service';
import { eq, isNull, lt, or } from 'drizzle-orm';
import { lockCatalog } from '../audit/catalog-table.ts';
import { type Entry, providerTables, readEntries } from '../catalog/entries.ts';
import { settleDiscovered } from '../catalog/settle.ts';
import type { Change } from '../common/change.ts';
import type { Database } from '../database/database.ts';
import { discoveries } from '../database/tables.ts';
import type { Pools } from '../health/pools.ts';
import type { AskModels } from './ask-models.ts';

/** Time between two looks for a list that is due, in milliseconds. */
const pollMs = 2_000;
/** The longest time for which a control refreshes a list alone, in milliseconds. */
const claimMs = 60_000;
/** Pause after the first failure, in milliseconds; it doubles with each. */
const firstRetryMs = 10_000;
/** The most lists that are refreshed at once. */
const mostAtOnce = 4;
/** The longest stored reason of a failure, in characters. */
const longestError = 300;

interface DiscovererOptions {
  db: Database;
  ask: AskModels;
  log: Log;
  clock: Clock;
  pools: Pick<Pools, 'hasWorkers'>;
  /** Publishes changes. */
  changed(changes: Change[]): Promise<void>;
}

type Discovering = Entry<StoredProvider> & { data: { models: NonNullable<StoredProvider['models']> } };

/** Refreshes the lists of the models that providers list themselves. Of several controls, one refreshes each list. */
export class Discoverer {
  readonly #options: DiscovererOptions;

  constructor(options: DiscovererOptions) {
    this.#options = options;
  }

  /** Refreshes the lists that are due until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    let failed = false;
    while (!signal.aborted) {
      try {
        await this.#refreshDue();
        failed = false;
      } catch (error) {
        if (!failed && !signal.aborted)
          this.#options.log.warn({ err: error }, 'models cannot be discovered; retrying');
        failed = true;
      }
      await this.#options.clock.sleep(pollMs, { signal, ref: false }).catch(() => {});
    }
  }

  async #refreshDue(): Promise<void> {
    const { db, pools, clock } = this.#options;
    const all = await readEntries(db, providerTables);
    const discovering = all.filter((entry): entry is Discovering => entry.data.models !== undefined);
    if (discovering.length === 0) return;
    const rows = await db.select().from(discoveries);
    const now = new Date(clock.now());
    const due = discovering.filter(({ name, version, data }) => {
      const row = rows.find(({ provider }) => provider === name);
      const isDue = !row?.nextAt || row.nextAt <= now || row.providerVersion !== version;
      return isDue && pools.hasWorkers(data.pool) === true;
    });
    for (let at = 0; at < due.length; at += mostAtOnce)
      await Promise.all(due.slice(at, at + mostAtOnce).map(entry => this.#refresh(entry)));
  }

  async #refresh(entry: Discovering): Promise<void> {
    const { ask, log, clock } = this.#options;
    const { name: provider, version, data } = entry;
    const claimed = await this.#claim(provider);
    if (!claimed) return;
    const { models: names, error } = await ask(data.pool, { listModels: { provider, version } });
    if (names) {
      const nextAt = new Date(clock.now() + refreshMs(data.models));
      const times = { refreshedAt: new Date(clock.now()), nextAt };
      await this.#store(entry, { names, ...times, failures: 0, error: null });
      if (claimed.error !== null || !claimed.refreshedAt)
        log.info({ provider, models: names.length }, 'models were discovered');
      return;
    }
    const { kind, message } = error ?? { kind: 'upstream', message: 'The worker did not say why.' };
    const reason = message.slice(0, longestError);
    const pause = Math.min(firstRetryMs * 2 ** Math.min(claimed.failures, 20), refreshMs(data.models));
    const nextAt = new Date(clock.now() + pause);
    if (claimed.error !== reason)
      log.warn(
        { provider, kind, error: reason },
        'models could not be discovered; the last list stays in force',
      );
    await this.#store(entry, { nextAt, failures: claimed.failures + 1, error: reason });
  }

  /** Returns the row as it is; undefined while another control refreshes the list. */
  async #claim(provider: string): Promise<typeof discoveries.$inferSelect | undefined> {
    const { db, clock } = this.#options;
    const now = new Date(clock.now());
    const claimedUntil = new Date(now.getTime() + claimMs);
    const [claimed] = await db
      .insert(discoveries)
      .values({ provider, claimedUntil })
      .onConflictDoUpdate({
        target: discoveries.provider,
        set: { claimedUntil },
        setWhere: or(isNull(discoveries.claimedUntil), lt(discoveries.claimedUntil, now)),
      })
      .returning();
    return claimed;
  }

  /** Stores the outcome of a refresh and publishes the models that have changed by it. */
  async #store(
    { name: provider, version: providerVersion }: Discovering,
    outcome: Partial<typeof discoveries.$inferInsert>,
  ): Promise<void> {
    const { db, changed } = this.#options;
    const changes = await db.transaction(async tx => {
      await lockCatalog(tx);
      await tx
        .update(discoveries)
        .set({ ...outcome, providerVersion, claimedUntil: null })
        .where(eq(discoveries.provider, provider));
      return outcome.names ? settleDiscovered(tx) : [];
    });
    if (changes.length > 0) await changed(changes);
  }
}
