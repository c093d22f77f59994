import { isProven } from '@model-gateway/access';
import { type Bus, readUsage } from '@model-gateway/bus';
import type { Clock } from '@model-gateway/clock';
import { type Counter, counter, gauge, type Log, type Registry, usageLateMs } from '@model-gateway/service';
import type { ControlKeys } from '../common/keys.ts';
import { whenConnected } from '../common/when-connected.ts';
import { isRefused as isRefusedByDatabase, reasonOf } from '../database/unreachable.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { keepRefused } from '../refused/keep.ts';
import { isRefused } from '../refused/row.ts';
import { type Rejected, UnprovenRecord, UsageBatch, type UsageSum } from './batch.ts';
import { LastUsed } from './last-used.ts';
import { addEach, addToLedger, type LedgerDatabase } from './ledger.ts';
import { measureLedger } from './measure-ledger.ts';
import { dropOldRejected, keepRejected } from './rejected.ts';

interface UsageKeeperOptions {
  bus(): Promise<Bus>;
  database: LedgerDatabase;
  prices: PriceBook;
  /** That of calls makes the proofs in records of workers. */
  keys: Pick<ControlKeys, 'calls'>;
  /** Called with sums of the rows that the ledger has now. */
  stored(sums: readonly UsageSum[]): void;
  log: Log;
  clock: Clock;
  metrics: Registry;
  /** The number of NATS servers that store records until they are in the ledger. */
  replicas: number;
}

/** Moves usage records from NATS into the ledger. */
export class UsageKeeper {
  readonly #options: UsageKeeperOptions;
  readonly #lastUsed: LastUsed;
  readonly #prices: PriceBook;
  readonly #adjusted: Counter;
  readonly #rejected: Counter;
  readonly #measure: (sums: readonly UsageSum[]) => void;
  /** The arrival time of the oldest message that is not in the ledger, in milliseconds since 1970. */
  #behindSince: number | undefined;
  /** The reason of the current failure; empty if there is none. */
  #failure = '';

  constructor(options: UsageKeeperOptions) {
    this.#options = options;
    this.#lastUsed = new LastUsed(options.database.db);
    this.#prices = options.prices;
    this.#adjusted = counter(options.metrics, 'gateway_ledger_adjusted_total');
    this.#rejected = counter(options.metrics, 'gateway_ledger_rejected_total');
    this.#measure = measureLedger(options.prices, options.metrics);
    gauge(options.metrics, 'gateway_ledger_lag_seconds', () => this.lagMs / 1_000);
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const bus = await whenConnected(this.#options.bus, signal, error => this.#failed(error));
    if (!bus) return;
    const reader = {
      keep: (records: Iterable<unknown>) => this.#keep(records),
      ofWorker: (record: unknown) =>
        isProven(this.#options.keys.calls, record) && !isRefused(record)
          ? record
          : new UnprovenRecord(record),
      failed: (error: unknown) => this.#failed(error),
      behind: (since: number | undefined) => {
        this.#behindSince = since;
      },
    };
    await readUsage(bus, reader, { replicas: this.#options.replicas, signal });
  }

  /** Returns a notice for operators while the ledger is more than a minute behind. */
  notices(): string[] {
    if (this.lagMs <= usageLateMs) return [];
    const seconds = Math.round(this.lagMs / 1_000);
    return [`the ledger is ${seconds} s behind${this.#failure && `: ${this.#failure}`}`];
  }

  /** The age of the oldest record that is not in the ledger, in milliseconds. */
  get lagMs(): number {
    return this.#behindSince === undefined ? 0 : Math.max(0, this.#options.clock.now() - this.#behindSince);
  }

  /** Resolves when every record is in the ledger or stored as rejected. */
  async #keep(records: Iterable<unknown>): Promise<void> {
    const { database } = this.#options;
    await this.#prices.refresh();
    const batch = new UsageBatch(records, this.#prices);
    const refused = await this.#add(batch);
    await this.#prices.recordVersions();
    const rejected = [...batch.rejected, ...refused];
    for (const { record, reason } of rejected) await keepRejected(database.db, record, reason);
    if (rejected.length > 0) await dropOldRejected(database.db);
    await keepRefused(database.db, batch.refused);
    const { sums } = batch;
    this.#options.stored(sums);
    this.#measure(sums);
    await this.#lastUsed.add(sums);
    this.#failure = '';
    this.#count(batch, rejected);
  }

  /** Adds the rows of a batch, and returns those that the database refuses. */
  async #add(batch: UsageBatch): Promise<Rejected[]> {
    const { database } = this.#options;
    try {
      await addToLedger(database, batch.rows);
      return [];
    } catch (error) {
      if (!isRefusedByDatabase(error)) throw error;
      const refused = await addEach(database, batch.fitted());
      return refused.map(({ entry: { record }, error }) => ({ record, reason: reasonOf(error) }));
    }
  }

  #count({ adjusted, firstAdjusted: first }: UsageBatch, rejected: readonly Rejected[]): void {
    const { log } = this.#options;
    if (first) {
      this.#adjusted.inc(adjusted);
      const { row, changed } = first;
      log.warn(
        { records: adjusted, attempt: row.id, requestId: row.requestId, fields: changed },
        'usage records were adjusted',
      );
    }
    for (const { record, reason } of rejected) {
      this.#rejected.inc();
      const { id, requestId } = Object(record) as { id?: unknown; requestId?: unknown };
      log.error({ attempt: id, requestId, reason }, 'a usage record was rejected');
    }
  }

  #failed(error: unknown): void {
    const reason = reasonOf(error);
    if (reason !== this.#failure)
      this.#options.log.warn({ err: error }, 'usage records cannot be stored; retrying');
    this.#failure = reason;
  }
}
