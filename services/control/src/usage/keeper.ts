import { type Bus, readUsage } from '@model-gateway/bus';
import { type Counter, counter, gauge, type Log, type Registry, usageLateMs } from '@model-gateway/service';
import { isRefused, reasonOf } from '../database/unreachable.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { whenConnected } from '../when-connected.ts';
import { LastUsed } from './last-used.ts';
import { addEach, addToLedger, type LedgerDatabase } from './ledger.ts';
import { measureLedger } from './measure-ledger.ts';
import { keepRejected } from './rejected.ts';
import { type FittedRow, type LedgerRow, toRow } from './row.ts';

interface UsageKeeperOptions {
  bus(): Promise<Bus>;
  database: LedgerDatabase;
  prices: PriceBook;
  /** Called with rows that the ledger has now. */
  stored(rows: readonly LedgerRow[]): void;
  log: Log;
  metrics: Registry;
  /** The number of NATS servers that store records until they are in the ledger. */
  replicas: number;
}

/** A usage record and its row. */
interface Fitted extends FittedRow {
  record: unknown;
}

interface Rejected {
  record: unknown;
  reason: string;
}

/** Moves usage records from NATS into the ledger. */
export class UsageKeeper {
  readonly #options: UsageKeeperOptions;
  readonly #lastUsed: LastUsed;
  readonly #prices: PriceBook;
  readonly #adjusted: Counter;
  readonly #rejected: Counter;
  readonly #measure: (rows: readonly LedgerRow[]) => void;
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
      keep: (records: unknown[]) => this.#keep(records),
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
    return this.#behindSince === undefined ? 0 : Math.max(0, Date.now() - this.#behindSince);
  }

  /** Resolves when every record is in the ledger or stored as rejected. */
  async #keep(records: readonly unknown[]): Promise<void> {
    const { database } = this.#options;
    const { fitted, rejected } = fitAll(records);
    await this.#prices.settle(fitted.map(({ row }) => row));
    try {
      await addToLedger(
        database,
        fitted.map(({ row }) => row),
      );
    } catch (error) {
      if (!isRefused(error)) throw error;
      const refused = await addEach(database, fitted);
      rejected.push(...refused.map(({ entry: { record }, error }) => ({ record, reason: reasonOf(error) })));
    }
    for (const { record, reason } of rejected) await keepRejected(database.db, record, reason);
    const rows = fitted.map(({ row }) => row);
    this.#options.stored(rows);
    this.#measure(rows);
    await this.#lastUsed.add(rows);
    this.#failure = '';
    this.#count(fitted, rejected);
  }

  #count(fitted: readonly Fitted[], rejected: readonly Rejected[]): void {
    const { log } = this.#options;
    const adjusted = fitted.filter(({ changed }) => changed.length > 0);
    const [first] = adjusted;
    if (first) {
      this.#adjusted.inc(adjusted.length);
      const { row, changed } = first;
      log.warn(
        { records: adjusted.length, attempt: row.id, requestId: row.requestId, fields: changed },
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

function fitAll(records: readonly unknown[]): { fitted: Fitted[]; rejected: Rejected[] } {
  const now = Date.now();
  const fitted: Fitted[] = [];
  const rejected: Rejected[] = [];
  for (const record of records) {
    try {
      fitted.push({ record, ...toRow(record, now) });
    } catch (error) {
      rejected.push({ record, reason: reasonOf(error) });
    }
  }
  return { fitted, rejected };
}
