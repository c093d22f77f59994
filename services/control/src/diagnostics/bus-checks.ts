import {
  type Bus,
  bucketStream,
  countersOf,
  jobStream,
  ledgerConsumer,
  loggedStream,
  storedStreams,
  streamManager,
  usageStream,
} from '@model-gateway/bus';
import { usageLateMs } from '@model-gateway/service';
import { type Check, failed, ok, type Result, warning } from './check.ts';
import { fastest } from './fastest.ts';

type Manager = Awaited<ReturnType<typeof streamManager>>;

/** The oldest NATS server with counters, which limits and budgets need. */
const oldestNats = [2, 12] as const;
/** The largest message that processes send, in bytes: a smaller one splits bodies into more messages. */
const usualPayload = 512 * 1024;
/** A round trip to NATS that is slower than this makes every request slower, in milliseconds. */
const slowMs = 50;
/** The part of a stream's space from which on it is nearly full. */
const nearlyFull = 0.8;

export interface BusChecks {
  /** The bus once it is connected for the first time; undefined before. */
  bus(): Bus | undefined;
  /** The number of NATS servers that store each piece of state. */
  replicas: number;
  /** The age of the oldest usage record that is not in the ledger, in milliseconds. */
  lagMs(): number;
}

const connectAdvice =
  'Start NATS, or correct NATS_URL of control; its log says why it cannot connect. Clients are served from memory until GATEWAY_STALE_LIMIT.';

/** The checks of NATS: the server, the streams, and the usage records that wait there. */
export function busChecks(options: BusChecks): Check[] {
  const connected = () => {
    const bus = options.bus();
    if (!bus?.connected()) throw new Error('control is not connected to NATS');
    return bus;
  };
  return [
    { name: 'nats', advice: connectAdvice, run: () => checkServer(connected()) },
    {
      name: 'streams',
      advice: 'Look at the log of NATS: JetStream must be on, and its store must be writable.',
      run: () => checkStreams(connected(), options.replicas),
    },
    {
      name: 'usage',
      advice: 'Look at the log of control: it moves usage records from NATS into the ledger.',
      run: () => checkUsage(connected(), options.lagMs()),
    },
  ];
}

async function checkServer(bus: Bus): Promise<Result[]> {
  const info = bus.state.info;
  if (!info) throw new Error('NATS has sent no description of itself');
  const rttMs = await fastest(slowMs, () => bus.state.rtt());
  const results: Result[] = [ok(`NATS ${info.version} answers in ${rttMs} ms`)];
  const [major = 0, minor = 0] = info.version.split('.').map(Number);
  if (major < oldestNats[0] || (major === oldestNats[0] && minor < oldestNats[1]))
    results.push(
      failed(
        `NATS is ${info.version}, which has no counters`,
        `Update NATS to ${oldestNats.join('.')} or newer.`,
      ),
    );
  if (!info.jetstream)
    results.push(
      failed('JetStream is off', 'Turn JetStream on: a block `jetstream {}` in the configuration.'),
    );
  if (info.max_payload < usualPayload)
    results.push(
      warning(
        `the largest message is ${info.max_payload} bytes (max_payload)`,
        `Set max_payload to ${usualPayload} or more: large requests and answers take many messages.`,
      ),
    );
  if (rttMs > slowMs)
    results.push(
      warning(
        `NATS is ${rttMs} ms away`,
        'Run NATS near the processes: each request crosses it several times.',
      ),
    );
  return results;
}

/** Every stream that control makes. */
const streams: readonly string[] = [
  ...(['access', 'catalog', 'health', 'limits'] as const).map(name => bucketStream(name)),
  usageStream,
  loggedStream,
  jobStream.stream,
  ...Object.values(storedStreams).flatMap(names => [names.stream, countersOf(names).stream]),
];

async function checkStreams(bus: Bus, replicas: number): Promise<Result[]> {
  const manager = await streamManager(bus);
  const found = await Promise.all(streams.map(name => checkStream(manager, name, replicas)));
  const problems = found.flat();
  const sound = streams.length - found.filter(results => results.length > 0).length;
  const word = replicas === 1 ? 'replica' : 'replicas';
  return [
    ...(sound > 0
      ? [ok(`${sound} of ${streams.length} streams are as they should be, with ${replicas} ${word}`)]
      : []),
    ...problems,
  ];
}

async function checkStream(manager: Manager, name: string, replicas: number): Promise<Result[]> {
  let info: Awaited<ReturnType<Manager['streams']['info']>>;
  try {
    info = await manager.streams.info(name);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [
      failed(
        `the stream ${name} cannot be read: ${reason}`,
        'Control makes missing streams again; its log says why not.',
      ),
    ];
  }
  const { config, state, cluster } = info;
  const behind = (cluster?.replicas ?? []).filter(({ current, offline }) => !current || offline === true);
  const part = config.max_bytes > 0 ? state.bytes / config.max_bytes : 0;
  return [
    ...(config.num_replicas === replicas
      ? []
      : [
          warning(
            `the stream ${name} has ${config.num_replicas} replicas, but GATEWAY_NATS_REPLICAS is ${replicas}`,
            'Restart control, which sets it; NATS needs as many servers.',
          ),
        ]),
    ...(behind.length === 0
      ? []
      : [
          warning(
            `of the stream ${name}, these servers are behind or away: ${behind.map(each => each.name).join(', ')}`,
            'Start these servers, and wait until they have caught up before you stop others.',
          ),
        ]),
    ...(part < nearlyFull
      ? []
      : [
          warning(
            `the stream ${name} is ${Math.round(part * 100)} % full`,
            'Give it more space (GATEWAY_RESPONSES_BYTES, GATEWAY_REALTIME_SECRETS_BYTES), or store responses for a shorter time (GATEWAY_RESPONSES_TTL).',
          ),
        ]),
  ];
}

async function checkUsage(bus: Bus, lagMs: number): Promise<Result[]> {
  const manager = await streamManager(bus);
  const { num_pending, num_ack_pending } = await manager.consumers.info(usageStream, ledgerConsumer);
  const waiting = num_pending + num_ack_pending;
  const seconds = Math.round(lagMs / 1_000);
  if (lagMs <= usageLateMs) return [ok(`the ledger is up to date: ${waiting} messages wait`)];
  return [
    failed(
      `the ledger is ${seconds} s behind: ${waiting} messages wait in NATS`,
      'Look at the database and the log of control. NATS keeps the records for 7 days; budgets count what is waiting.',
    ),
  ];
}
