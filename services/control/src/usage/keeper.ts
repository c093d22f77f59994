import { type Bus, readUsage } from '@model-gateway/bus';
import { Counter, Gauge, type Log, type Registry, usageLateMs } from '@model-gateway/service';
import type { Database } from '../database/database.ts';
import { isRefused } from '../database/unreachable.ts';
import { whenConnected } from '../when-connected.ts';
import { addEach, addToLedger } from './ledger.ts';
import { keepRejected } from './rejected.ts';
import { type FittedRow, toRow } from './row.ts';

export interface UsageKeeperOptions {
  bus(): Promise<Bus>;
  db: Database;
  log: Log;
  metrics: Registry;
  /** On how many NATS servers records are kept until they are here. */
  replicas: number;
}

/** A record, and the row that was made of it. */
interface Fitted extends FittedRow {
  given: unknown;
}

interface Rejected {
  given: unknown;
  reason: string;
}

/** Moves usage records from NATS into the ledger. */
export class UsageKeeper {
  readonly #options: UsageKeeperOptions;
  readonly #adjusted: Counter;
  readonly #rejected: Counter;
  /** When the oldest message came that the ledger does not hold, in milliseconds since 1970. */
  #behindSince: number | undefined;
  #said = '';

  constructor(options: UsageKeeperOptions) {
    this.#options = options;
    const registers = [options.metrics];
    this.#adjusted = new Counter({
      name: 'gateway_ledger_adjusted_total',
      help: 'Usage records of which the ledger could not hold a field as it was',
      registers,
    });
    this.#rejected = new Counter({
      name: 'gateway_ledger_rejected_total',
      help: 'Usage records that the ledger cannot hold, kept beside it',
      registers,
    });
    const lagMs = () => this.#lagMs;
    new Gauge({
      name: 'gateway_ledger_lag_seconds',
      help: 'Age of the oldest usage record that the ledger does not hold',
      registers,
      collect() {
        this.set(lagMs() / 1_000);
      },
    });
  }

  /** Works until it is stopped. */
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

  /** A notice for operators while the ledger is more than a minute behind. */
  notices(): string[] {
    if (this.#lagMs <= usageLateMs) return [];
    const seconds = Math.round(this.#lagMs / 1_000);
    return [`the ledger is ${seconds} s behind${this.#said && `: ${this.#said}`}`];
  }

  get #lagMs(): number {
    return this.#behindSince === undefined ? 0 : Math.max(0, Date.now() - this.#behindSince);
  }

  /** Resolves when every record is in the ledger or among those that it cannot hold. */
  async #keep(records: readonly unknown[]): Promise<void> {
    const { db } = this.#options;
    const { fitted, rejected } = fitAll(records);
    try {
      await addToLedger(
        db,
        fitted.map(({ row }) => row),
      );
    } catch (error) {
      if (!isRefused(error)) throw error;
      const refused = await addEach(db, fitted);
      rejected.push(...refused.map(({ given: { given }, error }) => ({ given, reason: reasonOf(error) })));
    }
    for (const { given, reason } of rejected) await keepRejected(db, given, reason);
    this.#said = '';
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
    for (const { given, reason } of rejected) {
      this.#rejected.inc();
      const { id, requestId } = Object(given) as { id?: unknown; requestId?: unknown };
      log.error({ attempt: id, requestId, reason }, 'the ledger cannot hold a usage record');
    }
  }

  #failed(error: unknown): void {
    const reason = reasonOf(error);
    if (reason !== this.#said) this.#options.log.warn({ err: error }, 'usage records wait');
    this.#said = reason;
  }
}

function fitAll(records: readonly unknown[]): { fitted: Fitted[]; rejected: Rejected[] } {
  const now = Date.now();
  const fitted: Fitted[] = [];
  const rejected: Rejected[] = [];
  for (const given of records) {
    try {
      fitted.push({ given, ...toRow(given, now) });
    } catch (error) {
      rejected.push({ given, reason: reasonOf(error) });
    }
  }
  return { fitted, rejected };
}

/** The innermost error's own words: those around it hold the whole query. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause, code } = error as NodeJS.ErrnoException;
  return cause instanceof Error ? reasonOf(cause) : message || String(code);
}
