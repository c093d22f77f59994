import { reasonOf } from '../database/unreachable.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { isRefused, type RefusedRow, toRefusedRow } from '../refused/row.ts';
import { type LedgerRow, toRow } from './row.ts';

/** A record and its row. */
interface Fitted {
  record: unknown;
  row: LedgerRow;
}

export interface Rejected {
  record: unknown;
  reason: string;
}

/** A record of a worker that has no proof of a call of its token. */
export class UnprovenRecord {
  readonly record: unknown;

  constructor(record: unknown) {
    this.record = record;
  }
}

/** Sums over the attempts of one token that are alike. Counts and costs are those of charged attempts. */
export interface UsageSum
  extends Pick<LedgerRow, 'tokenId' | 'project' | 'owner' | 'model' | 'fallback' | 'provider'> {
  /** Time of the latest attempt, in milliseconds since 1970. */
  latest: number;
  input: number;
  output: number;
  /** In US dollars. */
  cost: number;
  /** Number of charged attempts. */
  charged: number;
  /** Number of charged attempts whose cost is unknown. */
  unpriced: number;
}

/**
 * Usage records as rows of the ledger. Each iteration makes the rows anew, and sums them: kept in memory, those of a whole batch
 * would outlive V8's young generation.
 */
export class UsageBatch {
  readonly #records: Iterable<unknown>;
  readonly #prices: Pick<PriceBook, 'settle'>;
  readonly #sums = new Map<string, UsageSum>();
  /** Number of records that were changed to fit into the ledger. */
  adjusted = 0;
  /** The first record that was changed, with the names of the changed fields. */
  firstAdjusted: { row: LedgerRow; changed: string[] } | undefined;
  /** The records that are no row. */
  rejected: Rejected[] = [];
  /** The records of requests that were refused. */
  refused: RefusedRow[] = [];

  /** The prices settle the rows' costs. */
  constructor(records: Iterable<unknown>, prices: Pick<PriceBook, 'settle'>) {
    this.#records = records;
    this.#prices = prices;
  }

  /** Sums of the rows of the last iteration. */
  get sums(): UsageSum[] {
    return [...this.#sums.values()];
  }

  readonly rows: Iterable<LedgerRow> = {
    [Symbol.iterator]: () => this.fitted().map(({ row }) => row),
  };

  /** Returns each row with its record. */
  *fitted(): Generator<Fitted> {
    this.#sums.clear();
    this.adjusted = 0;
    this.rejected = [];
    this.refused = [];
    const now = Date.now();
    for (const record of this.#records) {
      const row = this.#rowOf(record, now);
      if (row) yield { record, row };
    }
  }

  #rowOf(record: unknown, now: number): LedgerRow | undefined {
    if (record instanceof UnprovenRecord) {
      const reason = 'the worker that sent it has no proof that it served a request of this token';
      this.rejected.push({ record: record.record, reason });
      return undefined;
    }
    try {
      if (isRefused(record)) {
        this.refused.push(toRefusedRow(record, now));
        return undefined;
      }
      const { row, changed } = toRow(record, now);
      this.#prices.settle(row);
      this.#sum(row);
      if (changed.length > 0 && this.adjusted++ === 0) this.firstAdjusted = { row, changed };
      return row;
    } catch (error) {
      this.rejected.push({ record, reason: reasonOf(error) });
      return undefined;
    }
  }

  #sum(row: LedgerRow): void {
    const { tokenId, project, owner, model, fallback, provider } = row;
    const key = `${tokenId}\n${project}\n${owner}\n${model}\n${fallback}\n${provider}`;
    let sum = this.#sums.get(key);
    if (!sum) {
      const none = { latest: 0, input: 0, output: 0, cost: 0, charged: 0, unpriced: 0 };
      sum = { tokenId, project, owner, model, fallback, provider, ...none };
      this.#sums.set(key, sum);
    }
    sum.latest = Math.max(sum.latest, row.at.getTime());
    if (!row.charged) return;
    sum.charged += 1;
    sum.input += row.input;
    sum.output += row.output;
    if (typeof row.cost === 'number' && row.cost >= 0) sum.cost += row.cost;
    else sum.unpriced += 1;
  }
}
