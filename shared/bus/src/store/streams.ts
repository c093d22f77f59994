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

/** The events of a response are kept for a shorter time: they are many times as long as the response. In milliseconds. */
export const eventsMs = 3_600_000;
/** The longest that a client secret may live, in milliseconds. */
export const secretsMs = 7_200_000;
/** After so long without a sign of life of its runner, a job is given to another, in milliseconds. */
export const silentMs = 9_000;

/** The streams of stored responses and client secrets, and what their subjects begin with. */
export const stored = {
  responses: { stream: 'KEPT', subjects: 'gateway.v1.kept' },
  events: { stream: 'EVENTS', subjects: 'gateway.v1.events' },
  secrets: { stream: 'SECRETS', subjects: 'gateway.v1.secret' },
} as const;
export type StoredKind = keyof typeof stored;

/** Jobs in the background, and the one consumer that hands them out. */
export const jobs = { stream: 'WORK', subjects: 'gateway.v1.work.responses', consumer: 'runners' } as const;

/** The counters of what each owner has in a stream. */
export const countersOf = ({ stream, subjects }: { stream: string; subjects: string }) => ({
  stream: `${stream}_BYTES`,
  subjects: `${subjects}-bytes`,
});

export interface StoredOptions {
  /** On how many NATS servers each stream is kept. */
  replicas: number;
  /** The time for which a response is kept, in milliseconds. */
  responsesMs: number;
  /** The most bytes on each NATS server of all that belongs to responses: turns, events, jobs. */
  responsesBytes: number;
  /** The most bytes of client secrets there. */
  secretsBytes: number;
}

/** The bytes for stored responses, divided among the streams that hold them. */
export interface Room {
  turns: number;
  events: number;
  jobs: number;
}

/** Events are many, and soon gone; of a job there is little more than its id. */
export function divide(bytes: number): Room {
  const events = Math.floor(bytes / 3);
  const jobs = Math.floor(bytes / 100);
  return { turns: bytes - events - jobs, events, jobs };
}

/** Bytes that were written in one of this many parts of the time to live are counted together. */
const periods = 24;

/** The length of such a part, in milliseconds. */
export function periodOf(ttlMs: number): number {
  return Math.max(1_000, Math.ceil(ttlMs / periods));
}

/** The part of a stream's room that the counts of it may take beside it, in bytes at least the second. */
const countsPart = 100;
const leastCounts = 100_000;

/** A stream, and the consumer that it must have. */
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

export interface StreamRoom {
  replicas: number;
  /** The most bytes on each server. */
  maxBytes: number;
}

/** A stream of values or events, and that of its counters. */
export function valuesAndCounts(
  kind: StoredKind,
  { replicas, ttlMs, maxBytes }: StreamRoom & { ttlMs: number },
): LastingStream[] {
  const { stream, subjects } = stored[kind];
  const counters = countersOf(stored[kind]);
  return [
    {
      config: {
        ...refusing({ replicas, maxBytes }),
        name: stream,
        subjects: [`${subjects}.>`],
        compression: StoreCompression.S2,
        // Of a value only the last counts; events are all there.
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

/** The stream of jobs in the background. */
export function jobStream(room: StreamRoom): LastingStream {
  return {
    config: {
      ...refusing(room),
      name: jobs.stream,
      subjects: [jobs.subjects, `${jobs.subjects}.>`],
      retention: RetentionPolicy.Workqueue,
    },
    consumer: {
      durable_name: jobs.consumer,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(silentMs),
      // How often one is tried is bounded by whoever runs it, who can say why it failed.
      max_deliver: -1,
      max_ack_pending: 10_000,
    },
  };
}

/** A stream that is full refuses, and forgets nothing. */
function refusing({ replicas, maxBytes }: StreamRoom): Partial<StreamConfig> {
  return {
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_bytes: maxBytes,
    num_replicas: replicas,
  };
}

/** Makes a stream where there is none, or gives it this configuration. */
export async function makeStream(
  manager: JetStreamManager,
  { config, consumer }: LastingStream,
): Promise<void> {
  await manager.streams.add(config).catch(() => manager.streams.update(config.name, config));
  if (consumer) await makePlace(manager, config.name, consumer);
}

const lookMs = 1_000;

/** Makes streams as soon as NATS can, and again where NATS has lost one, until `signal`. `failed` hears why it cannot. */
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
    await sleep(lookMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function forgetLost(manager: JetStreamManager, made: Set<LastingStream>): Promise<void> {
  const names = new Set<string>();
  for await (const name of manager.streams.names()) names.add(name);
  for (const stream of made) if (!names.has(stream.config.name)) made.delete(stream);
}

/** Makes a reader's place in a stream where there is none. One that a control of another version made otherwise gets this configuration. */
export async function makePlace(
  manager: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  await manager.consumers
    .add(stream, config)
    .catch(() => manager.consumers.update(stream, config.durable_name, config));
}
