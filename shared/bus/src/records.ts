import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg, StorageType } from '@nats-io/jetstream';
import { nanos } from 'nats';
import type { Bus } from './connection.ts';
import { jetStream, streams } from './jet-stream.ts';
import { makePlace } from './store/streams.ts';
import { usageSubject } from './subjects.ts';

/** The stream that keeps usage records until the ledger has them, and for a while after. */
export const usageStream = 'USAGE';
/** The time for which NATS keeps usage records, in milliseconds. */
export const keptMs = 7 * 86_400_000;
/** The ledger's place in the stream. */
export const ledger = 'ledger';

const retryMs = 500;
/** The time between two looks at how far the ledger is behind, in milliseconds. */
const lookMs = 5_000;

export interface UsageReader {
  /**
   * Resolves once the records are kept; if it rejects, it is asked again. Each should be a `UsageRecord`; a message that
   * cannot be read is one text.
   */
  keep(records: unknown[]): Promise<void>;
  /** Why records could not be read or kept; it is tried again. */
  failed(error: unknown): void;
  /** Says every few seconds when the oldest message came that is not kept, in ms since 1970; undefined if all are. */
  behind?(since: number | undefined): void;
}

/** Makes the stream where there is none, and hands over its records in order, each until it was kept. */
export async function readUsage(
  bus: Bus,
  reader: UsageReader,
  { replicas = 1, signal }: { replicas?: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const consumer = await openLedger(bus, replicas);
      await consume(bus, consumer, reader, signal);
    } catch (error) {
      if (!signal.aborted) reader.failed(error);
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
  await makePlace(manager, usageStream, {
    durable_name: ledger,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(10_000),
    max_ack_pending: 64,
  });
  return jetStream(bus).consumers.get(usageStream, ledger);
}

async function consume(
  bus: Bus,
  consumer: Consumer,
  reader: UsageReader,
  signal: AbortSignal,
): Promise<void> {
  const messages = await consumer.consume({ max_messages: 16 });
  const stop = () => void messages.close();
  signal.addEventListener('abort', stop);
  // What cannot be told now is told the next time.
  const look = () => void oldestWaiting(bus, consumer).then(reader.behind, () => {});
  const looking = setInterval(look, lookMs);
  try {
    for await (const message of messages) if (await keep(message, reader, signal)) message.ack();
  } finally {
    clearInterval(looking);
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

function readRecords(message: JsMsg): unknown[] {
  try {
    const records = message.json();
    if (Array.isArray(records)) return records;
  } catch {
    // Its text is kept as it is.
  }
  return [message.string()];
}

/** When the oldest message came that the ledger has not acknowledged; undefined if there is none. */
async function oldestWaiting(bus: Bus, consumer: Consumer): Promise<number | undefined> {
  const { ack_floor, num_pending, num_ack_pending } = await consumer.info();
  if (num_pending + num_ack_pending === 0) return undefined;
  const manager = await streams(bus);
  const { state } = await manager.streams.info(usageStream);
  // Those before the first are gone, for their age.
  const seq = Math.max(ack_floor.stream_seq + 1, state.first_seq);
  const oldest = await manager.streams.getMessage(usageStream, { seq });
  return oldest?.time.getTime();
}
