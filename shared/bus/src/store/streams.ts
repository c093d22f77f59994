import { setTimeout as sleep } from 'node:timers/promises';
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
import type { Bus } from '../connection.ts';
import { streams } from '../jet-stream.ts';

/** The longest that events of a response are stored, in milliseconds: they are many times as large as the response. */
export const eventsMs = 3_600_000;
/** The longest lifetime of a client secret, in milliseconds. */
export const secretsMs = 7_200_000;
/** Time without a heartbeat of its runner after which a job is delivered again, in milliseconds. */
export const silentMs = 9_000;

/** The streams of stored responses, their events and client secrets, and the prefixes of their subjects. */
export const stored = {
  responses: { stream: 'KEPT', subjects: 'gateway.v1.kept' },
  events: { stream: 'EVENTS', subjects: 'gateway.v1.events' },
  secrets: { stream: 'SECRETS', subjects: 'gateway.v1.secret' },
} as const;
export type StoredKind = keyof typeof stored;

/** The stream of background jobs, and its single consumer. */
export const jobs = { stream: 'WORK', subjects: 'gateway.v1.work.responses', consumer: 'runners' } as const;

/** The stream that counts each owner's bytes in another stream. */
export const countersOf = ({ stream, subjects }: { stream: string; subjects: string }) => ({
  stream: `${stream}_BYTES`,
  subjects: `${subjects}-bytes`,
});

export interface StoredOptions {
  /** Number of NATS servers that store each stream. */
  replicas: number;
  /** Time for which a response is stored, in milliseconds. */
  responsesMs: number;
  /** The most bytes of stored responses on each NATS server: turns, events and jobs. */
  responsesBytes: number;
  /** The most bytes of client secrets on each NATS server. */
  secretsBytes: number;
}

/** The space for stored responses per stream, in bytes. */
export interface Room {
  turns: number;
  events: number;
  jobs: number;
}

/** Divides the space for stored responses. Events are large but short-lived; a job is little more than an id. */
export function divide(bytes: number): Room {
  const events = Math.floor(bytes / 3);
  const jobs = Math.floor(bytes / 100);
  return { turns: bytes - events - jobs, events, jobs };
}

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

/** The streams of stored responses, of their events and background jobs, and of client secrets, with their counters. */
export function storedStreams(options: StoredOptions): LastingStream[] {
  const { replicas, responsesMs, responsesBytes, secretsBytes } = options;
  const room = divide(responsesBytes);
  return [
    ...valuesAndCounts('responses', { replicas, ttlMs: responsesMs, maxBytes: room.turns }),
    ...valuesAndCounts('events', {
      replicas,
      ttlMs: Math.min(responsesMs, eventsMs),
      maxBytes: room.events,
    }),
    ...valuesAndCounts('secrets', { replicas, ttlMs: secretsMs, maxBytes: secretsBytes }),
    jobStream({ replicas, maxBytes: room.jobs }),
  ];
}

interface StreamRoom {
  replicas: number;
  /** The most bytes on each server. */
  maxBytes: number;
}

/** Returns a stream of values or events, and the stream of its counters. */
export function valuesAndCounts(
  kind: StoredKind,
  { replicas, ttlMs, maxBytes }: StreamRoom & { ttlMs: number },
): LastingStream[] {
  const { stream, subjects } = stored[kind];
  const counters = countersOf(stored[kind]);
  return [
    {
      config: {
        ...boundedStream({ replicas, maxBytes }),
        name: stream,
        subjects: [`${subjects}.>`],
        compression: StoreCompression.S2,
        // A value needs only its last message; a log needs all of its events.
        ...(kind !== 'events' && { max_msgs_per_subject: 1 }),
        allow_msg_ttl: true,
        allow_direct: true,
      },
    },
    {
      config: {
        name: counters.stream,
        subjects: [`${counters.subjects}.>`],
        storage: StorageType.File,
        allow_msg_counter: true,
        allow_direct: true,
        max_msgs_per_subject: 1,
        max_age: nanos(ttlMs + 2 * periodOf(ttlMs)),
        max_bytes: Math.max(leastCounts, Math.ceil(maxBytes / countsPart)),
        num_replicas: replicas,
      },
    },
  ];
}

export function jobStream(room: StreamRoom): LastingStream {
  return {
    config: {
      ...boundedStream(room),
      name: jobs.stream,
      subjects: [jobs.subjects, `${jobs.subjects}.>`],
      retention: RetentionPolicy.Workqueue,
    },
    consumer: {
      durable_name: jobs.consumer,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(silentMs),
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
  while (!signal.aborted) {
    try {
      const bus = await connect();
      const manager = await streams(bus);
      if (made.size > 0) await forgetLost(manager, made);
      for (const stream of wanted) {
        if (made.has(stream)) continue;
        await makeStream(manager, stream);
        made.add(stream);
      }
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
    await sleep(checkMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function forgetLost(manager: JetStreamManager, made: Set<LastingStream>): Promise<void> {
  const names = new Set<string>();
  for await (const name of manager.streams.names()) names.add(name);
  for (const stream of made) if (!names.has(stream.config.name)) made.delete(stream);
}

/** Creates a durable consumer, or updates one that another version of control created. */
export async function makeConsumer(
  manager: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  await manager.consumers
    .add(stream, config)
    .catch(() => manager.consumers.update(stream, config.durable_name, config));
}
