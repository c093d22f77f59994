import type { Clock } from '@model-gateway/clock';
import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  type JsMsg,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from 'nats';
import { type Bus, jetStream, makeConsumer, streamManager } from './connection.ts';
import { ledgerConsumer, usageStream } from './streams.ts';
import { usageSubject, workerUsageSubject } from './subjects.ts';

/** Time for which NATS stores usage records, in milliseconds. */
export const keptMs = 7 * 86_400_000;
/**
 * A batch with this many bytes, those of some 250 usage records, gets no further message. Larger ones cost the database little less,
 * but wait so long under load that V8 moves their messages to the old generation, and collects that each second.
 */
export const maxBatchBytes = 160 * 1024;
/** Time that a message waits for others that are stored with it, in milliseconds. */
const joinMs = 1_000;
/** The most messages that one control has read and not yet stored. */
const maxWaiting = 64;
/** The most messages that all controls have read and not yet stored. */
const maxWaitingOfAll = 16 * maxWaiting;
const retryMs = 500;
/** Interval of {@link RecordReader.behind}, in milliseconds. */
const checkMs = 5_000;

export interface RecordReader {
  /**
   * Stores records; if it rejects, it is called again. They are as they were sent; an unreadable message is passed as
   * one text. Each iteration parses them anew, message by message, so that they need not be in memory together.
   */
  keep(records: Iterable<unknown>): Promise<void>;
  /** Called with each error in reading or storing records, which are then retried. */
  failed(error: unknown): void;
  /** Called every few seconds with the time of the oldest unstored message, in ms since 1970; undefined if there is none. */
  behind?(since: number | undefined): void;
}

/** A stream whose messages are arrays of records, and the durable consumer that stores them. */
export interface RecordStream {
  config: Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects'>;
  consumer: string;
  /** Absent if each message is an array of records. */
  read?: ReadMessage;
}

/** Returns the records of a message. */
type ReadMessage = (message: JsMsg) => unknown[];

/** Reads usage records. */
export interface UsageReader extends RecordReader {
  /** Called with each record of a worker; what it returns is stored in its place. */
  ofWorker?(record: unknown): unknown;
}

interface ReadOptions {
  /** The number of NATS servers that store each record. */
  replicas?: number;
  signal: AbortSignal;
}

/** Creates the stream of usage records if needed, and passes them in order to `reader`, each until it is stored. */
export function readUsage(bus: Bus, reader: UsageReader, options: ReadOptions): Promise<void> {
  const subjects = [usageSubject, workerUsageSubject('*')];
  const config = { name: usageStream, subjects, max_age: nanos(keptMs) };
  const read = (message: JsMsg) => {
    const records = recordsOf(message);
    const isOfWorker = reader.ofWorker && message.subject !== usageSubject;
    return isOfWorker ? records.map(record => reader.ofWorker?.(record)) : records;
  };
  return readRecords(bus, { config, consumer: ledgerConsumer, read }, reader, options);
}

/** Creates a stream if needed, and passes its records in order to `reader`, each until it is stored. */
export async function readRecords(
  bus: Bus,
  stream: RecordStream,
  reader: RecordReader,
  { replicas = 1, signal }: ReadOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const consumer = await openStream(bus, stream, replicas);
      await consume(bus, consumer, reader, stream.read ?? recordsOf, signal);
    } catch (error) {
      if (!signal.aborted) reader.failed(error);
    }
    await bus.clock.sleep(signal.aborted ? 0 : retryMs);
  }
}

async function openStream(
  bus: Bus,
  { config: { name, ...rest }, consumer }: RecordStream,
  replicas: number,
): Promise<Consumer> {
  const manager = await streamManager(bus);
  const config = { ...rest, name, storage: StorageType.File, num_replicas: replicas };
  await manager.streams.add(config).catch(() => manager.streams.update(name, config));
  await makeConsumer(manager, name, {
    durable_name: consumer,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(10_000),
    max_ack_pending: maxWaitingOfAll,
  });
  return jetStream(bus).consumers.get(name, consumer);
}

async function consume(
  bus: Bus,
  consumer: Consumer,
  reader: RecordReader,
  read: ReadMessage,
  signal: AbortSignal,
): Promise<void> {
  const messages = await consumer.consume({ max_messages: maxWaiting });
  const stop = () => void messages.close();
  signal.addEventListener('abort', stop);
  // A failed check is repeated at the next interval.
  const check = () => void oldestWaiting(bus, consumer).then(reader.behind, () => {});
  const checking = bus.clock.setInterval(check, checkMs);
  try {
    for await (const batch of inBatches(messages, read, bus.clock)) {
      if (!(await keep(batch, reader, bus.clock, signal))) return;
      for (const message of batch.messages) message.ack();
    }
  } finally {
    bus.clock.clearInterval(checking);
    signal.removeEventListener('abort', stop);
    await messages.close();
  }
}

/** Joins messages: the fewer batches, the less each record costs the database. */
async function* inBatches(
  messages: AsyncIterable<JsMsg>,
  readMessage: ReadMessage,
  clock: Clock,
): AsyncGenerator<Batch> {
  const iterator = messages[Symbol.asyncIterator]();
  const read = () => {
    const result = iterator.next();
    // An error that comes while a batch is stored is thrown when the next one begins.
    result.catch(() => {});
    return result;
  };
  try {
    for (let next = read(); ; ) {
      const first = await next;
      if (first.done) return;
      const batch = new Batch(first.value, readMessage);
      next = read();
      {
        using full = timeUp(joinMs, clock);
        while (batch.hasRoom) {
          const result = await Promise.race([next, full.promise]);
          if (!result || result.done) break;
          batch.add(result.value);
          next = read();
        }
      }
      yield batch;
    }
  } finally {
    // Not awaited, since it may wait for the message that is being read.
    iterator.return?.().catch(() => {});
  }
}

/** Messages whose records are stored together. */
class Batch implements Iterable<unknown> {
  readonly messages: JsMsg[] = [];
  readonly #read: ReadMessage;
  #bytes = 0;

  constructor(first: JsMsg, read: ReadMessage) {
    this.#read = read;
    this.add(first);
  }

  add(message: JsMsg): void {
    this.messages.push(message);
    this.#bytes += message.data.length;
  }

  get hasRoom(): boolean {
    return this.#bytes < maxBatchBytes && this.messages.length < maxWaiting;
  }

  *[Symbol.iterator](): Generator<unknown> {
    for (const message of this.messages) yield* this.#read(message);
  }
}

/** A promise that resolves after a time, unless it is disposed of before. */
function timeUp(ms: number, clock: Clock): Disposable & { promise: Promise<undefined> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = clock.setTimeout(() => resolve(undefined), ms);
  return { promise, [Symbol.dispose]: () => clock.clearTimeout(timer) };
}

/** Tries until the records are stored. Returns false if they are not and `signal` has aborted. */
async function keep(batch: Batch, reader: RecordReader, clock: Clock, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    try {
      await reader.keep(batch);
      return true;
    } catch (error) {
      reader.failed(error);
      if (signal.aborted) return false;
      for (const message of batch.messages) message.working();
      await clock.sleep(retryMs);
    }
  }
}

function recordsOf(message: JsMsg): unknown[] {
  try {
    const records = message.json();
    if (Array.isArray(records)) return records;
  } catch {
    // Its text is passed on unchanged.
  }
  return [message.string()];
}

/** Returns the time of the oldest message that the consumer has not acknowledged; undefined if there is none. */
async function oldestWaiting(bus: Bus, consumer: Consumer): Promise<number | undefined> {
  const { ack_floor, num_pending, num_ack_pending, stream_name } = await consumer.info();
  if (num_pending + num_ack_pending === 0) return undefined;
  const manager = await streamManager(bus);
  const { state } = await manager.streams.info(stream_name);
  // Older messages have expired.
  const seq = Math.max(ack_floor.stream_seq + 1, state.first_seq);
  const oldest = await manager.streams.getMessage(stream_name, { seq });
  return oldest?.time.getTime();
}
