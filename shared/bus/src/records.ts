import { randomUUID } from 'node:crypto';
import type { UsageRecord } from '@model-gateway/canonical';
import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg, StorageType } from '@nats-io/jetstream';
import { nanos } from 'nats';
import type { Bus } from './connection.ts';
import { jetStream, streams } from './jet-stream.ts';
import { usageSubject } from './subjects.ts';

/** The stream that keeps usage records until the ledger has them, and for a while after. */
const usageStream = 'USAGE';
const keptMs = 7 * 86_400_000;
/** The ledger's place in the stream. */
const ledger = 'ledger';

/** Records of one message: as many as came within the time, and no more than these. */
const joinMs = 100;
const joinRecords = 100;
/** What may wait while NATS is away; what comes after is dropped and counted. */
const maxWaiting = 100_000;
const retryMs = 500;

/** Writes usage records to where they last, in the background. */
export class UsageWriter {
  readonly #bus: Bus;
  #waiting: UsageRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;
  /** Records that were dropped, since too many waited. */
  dropped = 0;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** Takes a record; nobody waits for it. */
  add(record: UsageRecord): void {
    if (this.#waiting.length >= maxWaiting) {
      this.dropped++;
      return;
    }
    this.#waiting.push(record);
    if (this.#waiting.length >= joinRecords) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), joinMs);
  }

  /** How many records are not yet where they last. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Writes what waits, for at most `timeoutMs`. */
  async close(timeoutMs = 5_000): Promise<void> {
    this.#send();
    const timer = setTimeout(() => {
      this.#closed = true;
    }, timeoutMs);
    await this.#sending;
    clearTimeout(timer);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#closed) {
      const records = this.#waiting.slice(0, joinRecords);
      await this.#publish(records);
      this.#waiting.splice(0, records.length);
    }
  }

  /** Until it is acknowledged; under one id, so that a second copy is none. */
  async #publish(records: readonly UsageRecord[]): Promise<void> {
    const client = jetStream(this.#bus);
    const message = JSON.stringify(records);
    const msgID = randomUUID();
    while (!this.#closed) {
      try {
        await client.publish(usageSubject, message, { msgID });
        return;
      } catch {
        await new Promise(resolve => setTimeout(resolve, retryMs));
      }
    }
  }
}

export interface UsageReader {
  /** Resolves once the records are kept; if it rejects, it is asked again. */
  keep(records: UsageRecord[]): Promise<void>;
  /** Why records could not be read or kept; it is tried again. */
  failed(error: unknown): void;
}

/** Makes the stream where there is none, and hands over its records in order, each until it was kept. */
export async function readUsage(
  bus: Bus,
  { keep, failed }: UsageReader,
  { replicas = 1, signal }: { replicas?: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const consumer = await openLedger(bus, replicas);
      await consume(consumer, { keep, failed }, signal);
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
    await new Promise(resolve => setTimeout(resolve, signal.aborted ? 0 : retryMs));
  }
}

async function openLedger(bus: Bus, replicas: number): Promise<Consumer> {
  const manager = await streams(bus);
  const config = {
    name: usageStream,
    subjects: [usageSubject],
    storage: StorageType.File,
    max_age: nanos(keptMs),
    num_replicas: replicas,
  };
  await manager.streams.add(config).catch(() => manager.streams.update(usageStream, config));
  await manager.consumers.add(usageStream, {
    durable_name: ledger,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(10_000),
    max_ack_pending: 64,
  });
  return jetStream(bus).consumers.get(usageStream, ledger);
}

async function consume(consumer: Consumer, reader: UsageReader, signal: AbortSignal): Promise<void> {
  const messages = await consumer.consume({ max_messages: 16 });
  const stop = () => void messages.close();
  signal.addEventListener('abort', stop);
  try {
    for await (const message of messages) if (await keep(message, reader, signal)) message.ack();
  } finally {
    signal.removeEventListener('abort', stop);
    await messages.close();
  }
}

/** Tries until the records are kept; false if it was stopped before. */
async function keep(message: JsMsg, reader: UsageReader, signal: AbortSignal): Promise<boolean> {
  const records = readRecords(message);
  while (!signal.aborted) {
    try {
      await reader.keep(records);
      return true;
    } catch (error) {
      reader.failed(error);
      message.working();
      await new Promise(resolve => setTimeout(resolve, retryMs));
    }
  }
  return false;
}

function readRecords(message: JsMsg): UsageRecord[] {
  try {
    return message.json();
  } catch {
    // Nobody but us writes here; what cannot be read now never can be.
    return [];
  }
}
