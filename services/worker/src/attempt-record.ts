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

interface RecordedAttempt {
  envelope: Envelope;
  provider: string;
  /** The model's name at the provider. */
  model: string;
}

/** Outcome and usage of an attempt. */
export interface AttemptEnd {
  outcome: AttemptOutcome;
  error?: ErrorKind | undefined;
  usage: Usage | null;
  estimated?: boolean;
}

/** The usage record of one attempt: created before the upstream is called, written once at the end. */
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

  /** Marks output as sent to the client, which is then charged. */
  markSent(): void {
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

/** Usage records of calls that make one answer, held until it is known whether the client received it. */
export class JointRecords implements Ledger {
  readonly #held: UsageRecord[] = [];

  add(record: UsageRecord): void {
    this.#held.push(record);
  }

  /** Writes the records; if the answer did not reach the client, they are uncharged, answered calls too. */
  flush(ledger: Ledger, reached: boolean): void {
    for (const record of this.#held) ledger.add(reached ? record : uncharged(record));
  }
}

function uncharged({ firstMs: _, ...record }: UsageRecord): UsageRecord {
  return { ...record, charged: false };
}
