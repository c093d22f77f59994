import { randomUUIDv7 } from 'node:crypto';
import type { AnnouncedAttempt, UsageWriter } from '@model-gateway/bus';
import {
  type AttemptOutcome,
  type Envelope,
  type ErrorKind,
  recordHead,
  type Usage,
  type UsageRecord,
} from '@model-gateway/canonical';

export interface RecordedAttempt {
  envelope: Envelope;
  provider: string;
  /** The model's name at the provider. */
  model: string;
}

/** How an attempt ended. */
export interface AttemptEnd {
  outcome: AttemptOutcome;
  error?: ErrorKind | undefined;
  usage: Usage | null;
  estimated?: boolean;
}

/** One attempt on its way into the ledger: begun before its upstream is called, and ended once. */
export class AttemptRecord {
  readonly id = randomUUIDv7();
  readonly #writer: Pick<UsageWriter, 'add'>;
  readonly #attempt: RecordedAttempt;
  readonly #at = Date.now();
  readonly #began = performance.now();
  #firstMs: number | undefined;
  #ended = false;

  constructor(writer: Pick<UsageWriter, 'add'>, attempt: RecordedAttempt) {
    this.#writer = writer;
    this.#attempt = attempt;
  }

  get announcement(): AnnouncedAttempt {
    const { provider, model } = this.#attempt;
    return { id: this.id, provider, model };
  }

  /** A part of the answer was shown: the client pays for it. */
  shown(): void {
    this.#firstMs ??= performance.now() - this.#began;
  }

  end({ outcome, error, usage, estimated }: AttemptEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    const charged = this.#firstMs !== undefined;
    this.#writer.add({
      ...recordHead(this.#attempt.envelope, this.announcement),
      at: this.#at,
      ms: Math.round(performance.now() - this.#began),
      ...(charged && { firstMs: Math.round(this.#firstMs as number) }),
      outcome,
      ...(error && { error }),
      charged,
      usage,
      ...(estimated && { estimated }),
    });
  }
}

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
