import {
  type Bus,
  countersOf,
  lostMs,
  makeConsumer,
  type QueueNames,
  type StreamNames,
  streamManager,
} from '@model-gateway/bus';
import { type Clock, systemClock } from '@model-gateway/clock';
import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  StoreCompression,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from 'nats';

/** Number of periods per time to live; the bytes written in one period have one counter. */
const periods = 24;

/** The length of a period, in milliseconds. */
export function periodOf(ttlMs: number): number {
  return Math.max(1_000, Math.ceil(ttlMs / periods));
}

/** Divisor of a stream's space that gives the space of its counters, and the minimum of the latter in bytes. */
const countsPart = 100;
const leastCounts = 100_000;

/** A stream and its durable consumer, if it needs one. */
export interface LastingStream {
  config: Partial<StreamConfig> & Pick<StreamConfig, 'name'>;
  consumer?: Partial<ConsumerConfig> & { durable_name: string };
}

interface StreamRoom {
  replicas: number;
  /** The most bytes on each server. */
  maxBytes: number;
}

interface ExpiringRoom extends StreamRoom {
  /** The longest time to live of a message, in milliseconds. */
  ttlMs: number;
}

/** Returns the stream of a `RevisionedStore`, and the stream of its counters. */
export function valueStreams(names: StreamNames, room: ExpiringRoom): LastingStream[] {
  // A value needs only its last message.
  const config = { ...countedStream(names, room), max_msgs_per_subject: 1 };
  return [{ config }, countersStream(names, room)];
}

/** Returns the stream of an `EventLog`, and the stream of its counters. */
export function logStreams(names: StreamNames, room: ExpiringRoom): LastingStream[] {
  return [{ config: countedStream(names, room) }, countersStream(names, room)];
}

function countedStream({ stream, subjects }: StreamNames, room: StreamRoom): LastingStream['config'] {
  return {
    ...boundedStream(room),
    name: stream,
    subjects: [`${subjects}.>`],
    compression: StoreCompression.S2,
    allow_msg_ttl: true,
    allow_direct: true,
  };
}

function countersStream(names: StreamNames, { replicas, ttlMs, maxBytes }: ExpiringRoom): LastingStream {
  const { stream, subjects } = countersOf(names);
  return {
    config: {
      name: stream,
      subjects: [`${subjects}.>`],
      storage: StorageType.File,
      allow_msg_counter: true,
      allow_direct: true,
      max_msgs_per_subject: 1,
      max_age: nanos(ttlMs + 2 * periodOf(ttlMs)),
      max_bytes: Math.max(leastCounts, Math.ceil(maxBytes / countsPart)),
      num_replicas: replicas,
    },
  };
}

/** Returns the stream of a `WorkQueue`, with its consumer. */
export function queueStream({ stream, subjects, consumer }: QueueNames, room: StreamRoom): LastingStream {
  return {
    config: {
      ...boundedStream(room),
      name: stream,
      subjects: [subjects, `${subjects}.>`],
      retention: RetentionPolicy.Workqueue,
    },
    consumer: {
      durable_name: consumer,
      ack_policy: AckPolicy.Explicit,
      // The time without a heartbeat of its runner after which a job is delivered again.
      ack_wait: nanos(lostMs),
      // The runner bounds the number of attempts, since it can report why a job failed.
      max_deliver: -1,
      max_ack_pending: 10_000,
    },
  };
}

/** Returns the settings of a stream that refuses writes when full, instead of dropping old messages. */
function boundedStream({ replicas, maxBytes }: StreamRoom): Partial<StreamConfig> {
  return {
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_bytes: maxBytes,
    num_replicas: replicas,
  };
}

/** Creates a stream, or updates its configuration. */
export async function makeStream(
  manager: JetStreamManager,
  { config, consumer }: LastingStream,
): Promise<void> {
  await manager.streams.add(config).catch(() => manager.streams.update(config.name, config));
  if (consumer) await makeConsumer(manager, config.name, consumer);
}

const checkMs = 1_000;

/** Creates streams, and creates again those that NATS has lost, until `signal`. Errors are passed to `failed`. */
export async function keepStreams(
  connect: () => Promise<Bus>,
  wanted: readonly LastingStream[],
  { signal, failed }: { signal: AbortSignal; failed(error: unknown): void },
): Promise<void> {
  const made = new Set<LastingStream>();
  let clock: Clock = systemClock;
  while (!signal.aborted) {
    try {
      const bus = await connect();
      clock = bus.clock;
      const manager = await streamManager(bus);
      if (made.size > 0) await forgetLost(manager, made);
      for (const stream of wanted) {
        if (made.has(stream)) continue;
        await makeStream(manager, stream);
        made.add(stream);
      }
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
    await clock.sleep(checkMs, { signal, ref: false }).catch(() => {});
  }
}

async function forgetLost(manager: JetStreamManager, made: Set<LastingStream>): Promise<void> {
  const names = new Set<string>();
  for await (const name of manager.streams.names()) names.add(name);
  for (const stream of made) if (!names.has(stream.config.name)) made.delete(stream);
}
