import { type BucketName, bucketStream } from './bucket.ts';
import { countersOf, jobStream, type StoredKind, storedStreams } from './streams.ts';
import { announceSubject } from './subjects.ts';

/** The subjects that a NATS user may publish on and subscribe to; `subject queue` allows only that queue group. */
export interface Permissions {
  publish: string[];
  subscribe: string[];
}

/** Permissions to read and watch a bucket. */
export function follow(bucket: BucketName): Permissions {
  const stream = bucketStream(bucket);
  return {
    publish: [
      `$JS.API.STREAM.INFO.${stream}`,
      `$JS.API.CONSUMER.CREATE.${stream}.>`,
      `$JS.API.CONSUMER.INFO.${stream}.*`,
      `$JS.API.CONSUMER.DELETE.${stream}.*`,
      `$JS.FC.${stream}.>`,
    ],
    subscribe: [announceSubject(bucket)],
  };
}

/** Permissions to create and write a bucket. */
export function write(bucket: BucketName): Permissions {
  const stream = bucketStream(bucket);
  return {
    publish: [
      `$KV.${bucket}.>`,
      announceSubject(bucket),
      `$JS.API.STREAM.INFO.${stream}`,
      `$JS.API.STREAM.CREATE.${stream}`,
      `$JS.API.STREAM.UPDATE.${stream}`,
      `$JS.API.DIRECT.GET.${stream}.>`,
    ],
    subscribe: [],
  };
}

/** Permissions to create a stream of records and to read them. */
export function keep(stream: string, consumer: string): Permissions {
  return {
    publish: [
      `$JS.API.STREAM.CREATE.${stream}`,
      `$JS.API.STREAM.UPDATE.${stream}`,
      `$JS.API.STREAM.MSG.GET.${stream}`,
      ...consume(stream, consumer),
      `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${consumer}`,
      `$JS.API.CONSUMER.CREATE.${stream}.${consumer}`,
    ],
    subscribe: [],
  };
}

/** Subjects to consume messages of an existing consumer. */
export function consume(stream: string, consumer: string): string[] {
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
    // The form up to NATS 2.14, and the later one with domain and account.
    `$JS.ACK.${stream}.${consumer}.>`,
    `$JS.ACK.*.*.${stream}.${consumer}.>`,
  ];
}

/** Permissions to create the streams of stored responses and client secrets. */
export function makeStreams(): Permissions {
  const places = Object.values(storedStreams).flatMap(place => [place, countersOf(place)]);
  return {
    publish: [
      '$JS.API.STREAM.NAMES',
      ...[...places, jobStream].flatMap(({ stream }) => [
        `$JS.API.STREAM.CREATE.${stream}`,
        // Read before an update.
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.STREAM.UPDATE.${stream}`,
      ]),
      `$JS.API.CONSUMER.INFO.${jobStream.stream}.${jobStream.consumer}`,
      `$JS.API.CONSUMER.CREATE.${jobStream.stream}.${jobStream.consumer}`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${jobStream.stream}.${jobStream.consumer}`,
    ],
    subscribe: [],
  };
}

/** Permissions to read, write, remove and count stored values. */
export function store(kind: StoredKind): Permissions {
  const { stream, subjects } = storedStreams[kind];
  const counters = countersOf(storedStreams[kind]);
  return {
    publish: [
      `${subjects}.>`,
      `${counters.subjects}.>`,
      `$JS.API.STREAM.INFO.${stream}`,
      `$JS.API.STREAM.MSG.GET.${stream}`,
      `$JS.API.STREAM.PURGE.${stream}`,
      `$JS.API.DIRECT.GET.${stream}`,
      `$JS.API.DIRECT.GET.${counters.stream}`,
    ],
    subscribe: [],
  };
}

export function join(...all: Permissions[]): Permissions {
  return {
    publish: all.flatMap(({ publish }) => publish),
    subscribe: all.flatMap(({ subscribe }) => subscribe),
  };
}
