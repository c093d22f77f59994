import { type Bus, readLoggedRequests } from '@model-gateway/bus';
import { type Counter, counter, type Log, type Registry } from '@model-gateway/service';
import { whenConnected } from '../common/when-connected.ts';
import type { Database } from '../database/database.ts';
import { loggedRequests } from '../database/tables.ts';
import { isRefused, reasonOf } from '../database/unreachable.ts';
import { type LoggedRow, toLoggedRow } from './row.ts';

interface LoggedRequestKeeperOptions {
  bus(): Promise<Bus>;
  db: Database;
  log: Log;
  metrics: Registry;
  /** The number of NATS servers that store logged requests until they are in the database. */
  replicas: number;
}

/** Moves logged requests from NATS into the database. */
export class LoggedRequestKeeper {
  readonly #options: LoggedRequestKeeperOptions;
  readonly #rejected: Counter;
  /** The reason of the current failure; empty if there is none. */
  #failure = '';

  constructor(options: LoggedRequestKeeperOptions) {
    this.#options = options;
    this.#rejected = counter(options.metrics, 'gateway_logged_requests_rejected_total');
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const failed = (error: unknown) => this.#failed(error);
    const bus = await whenConnected(this.#options.bus, signal, failed);
    if (!bus) return;
    const keep = (records: Iterable<unknown>) => this.#keep(records);
    await readLoggedRequests(bus, { keep, failed }, { replicas: this.#options.replicas, signal });
  }

  /** Resolves when each record is in the database, or is rejected: its text must not stay in NATS or in a log. */
  async #keep(records: Iterable<unknown>): Promise<void> {
    const now = Date.now();
    const rows = [...records].flatMap(record => {
      try {
        return [toLoggedRow(record, now)];
      } catch (error) {
        this.#reject(undefined, error);
        return [];
      }
    });
    try {
      await this.#insert(rows);
    } catch (error) {
      if (!isRefused(error)) throw error;
      await this.#insertEach(rows);
    }
    this.#failure = '';
  }

  async #insert(rows: readonly LoggedRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#options.db
      .insert(loggedRequests)
      .values([...rows])
      .onConflictDoNothing();
  }

  async #insertEach(rows: readonly LoggedRow[]): Promise<void> {
    for (const row of rows)
      try {
        await this.#insert([row]);
      } catch (error) {
        if (!isRefused(error)) throw error;
        this.#reject(row.requestId, error);
      }
  }

  #reject(requestId: string | undefined, error: unknown): void {
    this.#rejected.inc();
    this.#options.log.error({ requestId, reason: reasonOf(error) }, 'a logged request was rejected');
  }

  #failed(error: unknown): void {
    const reason = reasonOf(error);
    if (reason !== this.#failure)
      this.#options.log.warn({ reason }, 'logged requests cannot be stored; retrying');
    this.#failure = reason;
  }
}
