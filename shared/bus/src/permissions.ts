import { type BucketName, bucketStream } from './bucket.ts';
import { ledger, usageStream } from './records.ts';
import { countersOf, jobs, type StoredKind, stored } from './store/streams.ts';
import {
  announceSubject,
  anyBeat,
  callSubject,
  cancelledSubject,
  heartbeatSubject,
  inboxPrefix,
  replySubject,
  usageSubject,
  workerName,
  workerQueue,
  workerSubject,
} from './subjects.ts';

/** The subjects that a NATS user may publish on and subscribe to; in the latter, `subject queue` allows that queue group alone. */
export interface Permissions {
  publish: string[];
  subscribe: string[];
}

/** The services that speak NATS; `front` is every ingress and realtime in one process. */
export const busServices = [
  'control',
  'worker',
  'front',
  'ingress-chat',
  'ingress-messages',
  'ingress-generate-content',
  'ingress-responses',
  'ingress-embeddings',
  'ingress-images',
  'ingress-audio',
  'ingress-models',
  'realtime',
] as const;
export type BusService = (typeof busServices)[number];

/** The NATS user of a service: one for each, and one for the workers of each pool. */
export function busUser(service: BusService, pool = 'default'): string {
  return service === 'worker' ? `worker-${pool}` : service;
}

/** The one whose permissions are asked for: a service's user and, of a worker, its pool. */
interface Who {
  user: string;
  pool: string;
}

/** Everything that anybody does on the bus, and the subjects that it takes. */
const abilities = {
  'make calls, and read the answers to its own': ({ user }) => ({
    publish: [callSubject('*'), workerSubject(workerName('*', '*'))],
    subscribe: [replySubject(user, '>'), anyBeat],
  }),
  'serve the calls of one pool': ({ pool }) => ({
    publish: [replySubject('*', '>'), heartbeatSubject(workerName(pool, '*'))],
    subscribe: [`${callSubject(pool)} ${workerQueue}`, workerSubject(workerName(pool, '*'))],
  }),
  'follow the bucket access': () => follow('access'),
  'follow the bucket catalog': () => follow('catalog'),
  'write the bucket access': () => write('access'),
  'write the bucket catalog': () => write('catalog'),
  'hear heartbeats': () => ({ publish: [], subscribe: [anyBeat] }),
  'record usage': () => ({ publish: [usageSubject], subscribe: [] }),
  'keep the ledger': keepLedger,
  'make the streams of what is stored': makeStreams,
  'store responses': () => store('responses'),
  'store the events of responses': () =>
    join(store('events'), { publish: [], subscribe: [`${stored.events.subjects}.>`] }),
  'run responses in the background': () => ({
    publish: [`${jobs.subjects}.*`, ...consume(jobs.stream, jobs.consumer), cancelledSubject],
    subscribe: [cancelledSubject],
  }),
  'store client secrets': () => store('secrets'),
  'read the answers of NATS': ({ user }) => ({ publish: [], subscribe: [`${inboxPrefix(user)}.>`] }),
} satisfies Record<string, (who: Who) => Permissions>;
export type Ability = keyof typeof abilities;

const ingress: Ability[] = [
  'make calls, and read the answers to its own',
  'follow the bucket access',
  'follow the bucket catalog',
  'record usage',
  'read the answers of NATS',
];
const responses: Ability[] = [
  'store responses',
  'store the events of responses',
  'run responses in the background',
];
const secrets: Ability[] = ['store client secrets'];

/** The abilities of each service. A subject that belongs to none of them is refused by the server. */
export const abilitiesOf: Record<BusService, Ability[]> = {
  control: [
    'follow the bucket access',
    'follow the bucket catalog',
    'write the bucket access',
    'write the bucket catalog',
    'hear heartbeats',
    'keep the ledger',
    'make the streams of what is stored',
    'read the answers of NATS',
  ],
  worker: [
    'serve the calls of one pool',
    'follow the bucket catalog',
    'record usage',
    'read the answers of NATS',
  ],
  front: [...ingress, ...responses, ...secrets],
  'ingress-chat': ingress,
  'ingress-messages': ingress,
  'ingress-generate-content': ingress,
  'ingress-responses': [...ingress, ...responses],
  'ingress-embeddings': ingress,
  'ingress-images': ingress,
  'ingress-audio': ingress,
  'ingress-models': ingress,
  realtime: [...ingress, ...secrets],
};

/** The subjects that an ability takes. */
export function subjectsOf(ability: Ability, who: Who): Permissions {
  return abilities[ability](who);
}

/** The permissions of a service's NATS user. */
export function permissionsOf(service: BusService, pool = 'default'): Permissions {
  const user = busUser(service, pool);
  const all = abilitiesOf[service].map(ability => subjectsOf(ability, { user, pool }));
  const { publish, subscribe } = join(...all);
  return { publish: [...new Set(publish)].sort(), subscribe: [...new Set(subscribe)].sort() };
}

/** Reads a bucket, and each change of it. */
function follow(bucket: BucketName): Permissions {
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

/** Makes a bucket, and writes to it. */
function write(bucket: BucketName): Permissions {
  const stream = bucketStream(bucket);
  return {
    publish: [
      `$KV.${bucket}.>`,
      announceSubject(bucket),
      `$JS.API.STREAM.CREATE.${stream}`,
      `$JS.API.STREAM.UPDATE.${stream}`,
      `$JS.API.DIRECT.GET.${stream}.>`,
    ],
    subscribe: [],
  };
}

/** Makes the stream of usage records, and reads it. */
function keepLedger(): Permissions {
  return {
    publish: [
      `$JS.API.STREAM.CREATE.${usageStream}`,
      `$JS.API.STREAM.UPDATE.${usageStream}`,
      `$JS.API.STREAM.MSG.GET.${usageStream}`,
      ...consume(usageStream, ledger),
      `$JS.API.CONSUMER.DURABLE.CREATE.${usageStream}.${ledger}`,
      `$JS.API.CONSUMER.CREATE.${usageStream}.${ledger}`,
    ],
    subscribe: [],
  };
}

/** Takes messages of a consumer that is there. */
function consume(stream: string, consumer: string): string[] {
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
    // The form of NATS 2.14 and before, and the one with domain and account since.
    `$JS.ACK.${stream}.${consumer}.>`,
    `$JS.ACK.*.*.${stream}.${consumer}.>`,
  ];
}

/** Makes the streams of what is stored. */
function makeStreams(): Permissions {
  const places = Object.values(stored).flatMap(place => [place, countersOf(place)]);
  return {
    publish: [
      '$JS.API.STREAM.NAMES',
      ...[...places, jobs].flatMap(({ stream }) => [
        `$JS.API.STREAM.CREATE.${stream}`,
        // Asked before an update.
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.STREAM.UPDATE.${stream}`,
      ]),
      `$JS.API.CONSUMER.INFO.${jobs.stream}.${jobs.consumer}`,
      `$JS.API.CONSUMER.CREATE.${jobs.stream}.${jobs.consumer}`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${jobs.stream}.${jobs.consumer}`,
    ],
    subscribe: [],
  };
}

/** Reads, writes and removes what is stored, and counts it. */
function store(kind: StoredKind): Permissions {
  const { stream, subjects } = stored[kind];
  const counters = countersOf(stored[kind]);
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

function join(...all: Permissions[]): Permissions {
  return {
    publish: all.flatMap(({ publish }) => publish),
    subscribe: all.flatMap(({ subscribe }) => subscribe),
  };
}

/** A NATS user as a server's configuration has it. */
export interface NatsUser {
  user: string;
  password: string;
  permissions: Permissions;
}

export function natsUser(service: BusService, password: string, pool?: string): NatsUser {
  return { user: busUser(service, pool), password, permissions: permissionsOf(service, pool) };
}

/** The part of a nats-server's configuration that says who may connect, and may do what. A user without credentials is refused. */
export function natsAuthorization(users: readonly NatsUser[]): string {
  const lines = users.map(
    ({ user, password, permissions: { publish, subscribe } }) =>
      `  { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)}, permissions: {
    publish: { allow: ${JSON.stringify(publish)} }
    subscribe: { allow: ${JSON.stringify(subscribe)} } } }\n`,
  );
  return `authorization { users: [\n${lines.join('')}] }\n`;
}

/** An address of NATS with a user and a password in it. */
export function natsUrlOf(url: string, { user, password }: Pick<NatsUser, 'user' | 'password'>): string {
  return url.replace('://', `://${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
}
