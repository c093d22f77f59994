import { bucketStream } from './bucket.ts';
import {
  consume,
  follow,
  join,
  keep,
  makeStreams,
  type Permissions,
  store,
  write,
} from './jetstream-permissions.ts';
import {
  jobStream,
  ledgerConsumer,
  loggedConsumer,
  loggedStream,
  storedStreams,
  usageStream,
} from './streams.ts';
import {
  announceSubject,
  anyHeartbeat,
  callSubject,
  controlQueue,
  heartbeatSubject,
  inboxPrefix,
  leaderSubjects,
  leftSubjects,
  loggedSubject,
  processSubjects,
  replySubject,
  runningSubjects,
  spendingSubjects,
  testSubjects,
  usageSubject,
  workerName,
  workerQueue,
  workerSubject,
  workerUsageSubject,
} from './subjects.ts';

/** A service's NATS user and, for a worker, its pool. */
interface Identity {
  user: string;
  pool: string;
}

/** Every ability that a service can have on the bus, with the subjects that it needs. */
const abilities = {
  'make calls, and read the answers to its own': ({ user }) => ({
    publish: [callSubject('*'), workerSubject(workerName('*', '*'))],
    subscribe: [replySubject('*', user, '>'), anyHeartbeat],
  }),
  'serve the calls of one pool': ({ pool }) => ({
    publish: [replySubject(pool, '*', '>'), heartbeatSubject(workerName(pool, '*'))],
    subscribe: [`${callSubject(pool)} ${workerQueue}`, workerSubject(workerName(pool, '*'))],
  }),
  'follow the bucket access': () => follow('access'),
  'follow the bucket catalog': () => follow('catalog'),
  'follow the bucket health': () => follow('health'),
  'write to the bucket health': () => ({
    publish: ['$KV.health.>', announceSubject('health'), `$JS.API.DIRECT.GET.${bucketStream('health')}.>`],
    subscribe: [],
  }),
  'count limits, or ask the process that does': ({ user }) => ({
    publish: [
      leaderSubjects.ask,
      leaderSubjects.answer('*', '*'),
      leaderSubjects.all,
      '$KV.limits.>',
      `$JS.API.STREAM.INFO.${bucketStream('limits')}`,
      `$JS.API.DIRECT.GET.${bucketStream('limits')}.>`,
    ],
    subscribe: [leaderSubjects.ask, leaderSubjects.answer(user, '*'), leaderSubjects.all],
  }),
  'ask what is left of limits': ({ user }) => ({
    publish: [leftSubjects.ask],
    subscribe: [leftSubjects.answer(user, '*')],
  }),
  'tell what is left of limits': () => ({
    publish: [leftSubjects.answer('*', '*')],
    subscribe: [leftSubjects.ask],
  }),
  'ask what was spent': ({ user }) => ({
    publish: [spendingSubjects.ask],
    subscribe: [spendingSubjects.answer(user, '*')],
  }),
  'tell what was spent': () => ({
    publish: [spendingSubjects.answer('*', '*')],
    subscribe: [`${spendingSubjects.ask} ${controlQueue}`],
  }),
  'ask processes about themselves': ({ user }) => ({
    publish: [processSubjects.ask],
    subscribe: [processSubjects.answer(user, '*')],
  }),
  'tell about itself': () => ({
    publish: [processSubjects.answer('*', '*')],
    subscribe: [processSubjects.ask],
  }),
  'ask for requests in flight': ({ user }) => ({
    publish: [runningSubjects.ask],
    subscribe: [runningSubjects.answer(user, '*'), runningSubjects.here, runningSubjects.changes],
  }),
  'tell requests in flight': () => ({
    publish: [runningSubjects.answer('*', '*'), runningSubjects.here, runningSubjects.changes],
    subscribe: [runningSubjects.ask],
  }),
  'ask workers to test a target': ({ user }) => ({
    publish: [testSubjects('*').ask],
    subscribe: [testSubjects('*').answer(user, '*')],
  }),
  'test targets for control': ({ pool }) => ({
    publish: [testSubjects(pool).answer('*', '*')],
    subscribe: [`${testSubjects(pool).ask} ${workerQueue}`],
  }),
  'write the bucket access': () => write('access'),
  'write the bucket catalog': () => write('catalog'),
  'make the bucket health': () => write('health'),
  'make the bucket limits': () => write('limits'),
  'hear heartbeats': () => ({ publish: [], subscribe: [anyHeartbeat] }),
  'record usage': () => ({ publish: [usageSubject], subscribe: [] }),
  'record usage of the calls of one pool': ({ pool }) => ({
    publish: [workerUsageSubject(pool)],
    subscribe: [],
  }),
  'keep the ledger': () => keep(usageStream, ledgerConsumer),
  'log requests': () => ({ publish: [loggedSubject], subscribe: [] }),
  'keep logged requests': () => keep(loggedStream, loggedConsumer),
  'make the streams of what is stored': makeStreams,
  'store responses': () => store('responses'),
  'store the events of responses': () =>
    join(store('events'), { publish: [], subscribe: [`${storedStreams.events.subjects}.>`] }),
  'run responses in the background': () => ({
    publish: [
      `${jobStream.subjects}.*`,
      ...consume(jobStream.stream, jobStream.consumer),
      jobStream.cancelled,
    ],
    subscribe: [jobStream.cancelled],
  }),
  'store client secrets': () => store('secrets'),
  'read the answers of NATS': ({ user }) => ({ publish: [], subscribe: [`${inboxPrefix(user)}.>`] }),
} satisfies Record<string, (identity: Identity) => Permissions>;
type Ability = keyof typeof abilities;

const ingress: Ability[] = [
  'make calls, and read the answers to its own',
  'follow the bucket access',
  'follow the bucket catalog',
  'follow the bucket health',
  'write to the bucket health',
  'count limits, or ask the process that does',
  'tell what is left of limits',
  'ask what was spent',
  'tell about itself',
  'tell requests in flight',
  'record usage',
  'log requests',
  'read the answers of NATS',
];
const responses: Ability[] = [
  'store responses',
  'store the events of responses',
  'run responses in the background',
];
const secrets: Ability[] = ['store client secrets'];

/** The abilities of each service. The server denies all other subjects. */
export const abilitiesOf: Record<BusService, Ability[]> = {
  control: [
    'follow the bucket access',
    'follow the bucket catalog',
    'write the bucket access',
    'write the bucket catalog',
    'make the bucket health',
    'make the bucket limits',
    'follow the bucket health',
    'hear heartbeats',
    'keep the ledger',
    'tell what was spent',
    'ask what is left of limits',
    'ask processes about themselves',
    'tell about itself',
    'ask for requests in flight',
    'ask workers to test a target',
    'keep logged requests',
    'make the streams of what is stored',
    'read the answers of NATS',
  ],
  worker: [
    'serve the calls of one pool',
    'test targets for control',
    'tell about itself',
    'follow the bucket catalog',
    'record usage of the calls of one pool',
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

/** Returns the subjects that an ability needs. */
export function subjectsOf(ability: Ability, identity: Identity): Permissions {
  return abilities[ability](identity);
}

/** Returns the permissions of a service's NATS user. */
export function permissionsOf(
  service: BusService,
  pool = 'default',
  user = busUser(service, pool),
): Permissions {
  const all = abilitiesOf[service].map(ability => subjectsOf(ability, { user, pool }));
  const { publish, subscribe } = join(...all);
  return { publish: [...new Set(publish)].sort(), subscribe: [...new Set(subscribe)].sort() };
}

/** The services that use NATS; `front` is every ingress and realtime in one process. */
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

/** Returns the NATS user of a service; the workers of each pool have their own. */
export function busUser(service: BusService, pool = 'default'): string {
  return service === 'worker' ? `worker-${pool}` : service;
}
