import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg, StorageType } from '@nats-io/jetstream';
import { nanos } from 'nats';
import type { Bus } from './connection.ts';
import { jetStream, streams } from './jet-stream.ts';
import { makeConsumer } from './store/streams.ts';
import { usageSubject } from './subjects.ts';

/** The stream of usage records. */
export const usageStream = 'USAGE';
/** Time for which NATS stores usage records, in milliseconds. */
export const keptMs = 7 * 86_400_000;
/** The ledger's durable consumer of the stream. */
export const ledger = 'ledger';

const retryMs = 500;
/** Interval of {@link UsageReader.behind}, in milliseconds. */
const checkMs = 5_000;

interface UsageReader {
  /**
   * Stores records; if it rejects, it is called again. Each should be a `UsageRecord`; an unreadable message is passed
   * as one text.
   */
  keep(records: unknown[]): Promise<void>;
  /** Called with each error in reading or storing records, which are then retried. */
  failed(error: unknown): void;
  /** Called every few seconds with the time of the oldest unstored message, in ms since 1970; undefined if there is none. */
  behind?(since: number | undefined): void;
}

/** Creates the stream if needed, and passes its records in order to `reader`, each until it is stored. */
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
    await sleep(signal.aborted ? 0 : retryMs);
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
  await makeConsumer(manager, usageStream, {
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
  // A failed check is repeated at the next interval.
  const check = () => void oldestWaiting(bus, consumer).then(reader.behind, () => {});
  const checking = setInterval(check, checkMs);
  try {
    for await (const message of messages) if (await keep(message, reader, signal)) message.ack();
  } finally {
    clearInterval(checking);
    signal.removeEventListener('abort', stop);
    await messages.close();
  }
}

/** Retries until the records are stored; returns false if it was stopped before. */
async function keep(message: JsMsg, reader: UsageReader, signal: AbortSignal): Promise<boolean> {
  const records = readRecords(message);
  while (!signal.aborted) {
    try {
      await reader.keep(records);
      return true;
    } catch (error) {
      reader.failed(error);
      message.working();
      await sleep(retryMs);
    }
  }
  return false;
}

function readRecords(message: JsMsg): unknown[] {
  try {
    const records = message.json();
    if (Array.isArray(records)) return records;
  } catch {
    // Its text is passed on unchanged.
  }
  return [message.string()];
}

/** Returns the time of the oldest message that the ledger has not acknowledged; undefined if there is none. */
async function oldestWaiting(bus: Bus, consumer: Consumer): Promise<number | undefined> {
  const { ack_floor, num_pending, num_ack_pending } = await consumer.info();
  if (num_pending + num_ack_pending === 0) return undefined;
  const manager = await streams(bus);
  const { state } = await manager.streams.info(usageStream);
  // Older messages have expired.
  const seq = Math.max(ack_floor.stream_seq + 1, state.first_seq);
  const oldest = await manager.streams.getMessage(usageStream, { seq });
  return oldest?.time.getTime();
}
