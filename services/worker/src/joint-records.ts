import type { UsageWriter } from '@model-gateway/bus';
import type { UsageRecord } from '@model-gateway/canonical';

type Ledger = Pick<UsageWriter, 'add'>;

/** The records of calls whose answers are given as one: held until it is known whether that reached the client. */
export class JointRecords implements Ledger {
  readonly #held: UsageRecord[] = [];

  add(record: UsageRecord): void {
    this.#held.push(record);
  }

  /** Of what the client was not given nothing is charged, though some of the calls were answered. */
  handOn(ledger: Ledger, reached: boolean): void {
    for (const record of this.#held) ledger.add(reached ? record : uncharged(record));
  }
}

function uncharged({ firstMs: _, ...record }: UsageRecord): UsageRecord {
  return { ...record, charged: false };
}
