import { type Clock, GuardedClock, systemClock } from '@model-gateway/clock';
import {
  type ConsumerConfig,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import { connect, type NatsConnection, PermissionViolationError, type TlsOptions } from 'nats';
import { Faults, followStatus, type OnFault } from './faults.ts';
import { inboxPrefix } from './subjects.ts';

/** The purpose of a connection: requests and responses; KV, streams and control messages; stored data. */
export type Purpose = 'calls' | 'state' | 'store';

/** A process's connections. If the server cuts one for a slow reader, the others stay open. */
export interface Bus {
  readonly options: BusOptions;
  /** The time of everything that uses the bus. What its timers throw is reported to `faults`. */
  readonly clock: Clock;
  /** Takes what callbacks throw. */
  readonly faults: Faults;
  /** The NATS user as a token of its subjects; `options.name` if the URL has no user. */
  readonly user: string;
  /** Carries requests and responses. */
  readonly calls: NatsConnection;
  /** Carries KV, streams and control messages. */
  readonly state: NatsConnection;
  /** The open connections by purpose. */
  readonly open: ReadonlyMap<Purpose, NatsConnection>;
  /**
   * Returns the connection that carries stored data, which the first call opens. Its reads may be large: if they are slow or
   * the server cuts it, tokens and models stay up to date.
   */
  openStore(): Promise<NatsConnection>;
  /** True if a connection is to a server and takes messages. False before it is opened and while it is closed. */
  isUp(purpose: Purpose): boolean;
  /** True if `calls` and `state` are up. */
  connected(): boolean;
  /**
   * False while the server of `calls` stands still: it has not answered a ping for a second. The ping is sent when this is asked, so
   * whoever waits for an answer asks until it comes.
   */
  responds(): boolean;
  /** Called when a connection was opened again after it was lost. */
  onReconnect: (purpose: Purpose) => void;
  /** Flushes and closes all. */
  close(): Promise<void>;
}

export interface BusOptions {
  /** One or more `nats://[user:password@]host:port`, separated by commas; `tls://` to require TLS. */
  url: string;
  /** Shown in the server's connection list. */
  name: string;
  tls?: BusTls | undefined;
  /** The system's if absent. */
  clock?: Clock;
  /** Called with what callbacks throw; if absent, it ends the process. Must not throw. */
  onFault?: OnFault;
}

/** Paths of PEM files. */
interface BusTls {
  /** The CA certificates that sign the server's certificate; the system's where absent. */
  ca?: string | undefined;
  /** The client certificate and its key. */
  cert?: string | undefined;
  key?: string | undefined;
}

/** A subject that the server's permissions deny to this user. */
export interface DeniedSubject {
  subject: string;
  operation: 'publish' | 'subscription';
}

type OnDenied = (denied: DeniedSubject) => void;

/**
 * Connects to NATS; rejects if no server answers within 30 s. Later disconnects are retried without limit.
 * `onDenied` is called for each denied subject: the server drops such a message without an error to its sender.
 */
export async function connectBus(options: BusOptions, onDenied?: OnDenied): Promise<Bus> {
  const open = new Map<Purpose, NatsConnection>();
  const away = new Set<Purpose>();
  const faults = new Faults(options.onFault);
  let closed = false;
  let store: Promise<NatsConnection> | undefined;
  /** Tracks a connection's state, and reports denied subjects. */
  function follow(purpose: Purpose, connection: NatsConnection): void {
    open.set(purpose, connection);
    void followStatus(connection, faults, status => {
      if (status.type === 'disconnect') away.add(purpose);
      if (status.type === 'reconnect') {
        away.delete(purpose);
        bus.onReconnect(purpose);
      }
      if (status.type === 'error' && status.error instanceof PermissionViolationError)
        onDenied?.(status.error);
    });
  }
  const isUp = (purpose: Purpose) => {
    const connection = open.get(purpose);
    return connection !== undefined && !away.has(purpose) && isOpen(connection);
  };
  async function dialStore(): Promise<NatsConnection> {
    const connection = await dial(options, 'store');
    follow('store', connection);
    if (closed) await connection.close();
    return connection;
  }
  const [calls, state] = await Promise.all([dial(options, 'calls'), dial(options, 'state')]);
  const clock = new GuardedClock(options.clock ?? systemClock, run => faults.run('timer', run));
  const pulse = new Pulse(calls, clock);
  const bus: Bus = {
    ...{ options, clock, faults, user: userOf(options), calls, state, open },
    openStore() {
      store ??= dialStore().catch(error => {
        // The next call tries again.
        store = undefined;
        throw error;
      });
      return store;
    },
    isUp,
    connected: () => isUp('calls') && isUp('state'),
    responds: () => pulse.responds(),
    onReconnect() {},
    async close() {
      closed = true;
      const all = [...open.values()];
      await Promise.all(all.map(connection => connection.drain().catch(() => connection.close())));
    },
  };
  follow('calls', calls);
  follow('state', state);
  return bus;
}

function isOpen(connection: NatsConnection): boolean {
  return !connection.isDraining() && !connection.isClosed();
}

/** Opens one connection, named after its purpose; rejects if no server answers within 30 s. */
export async function dial(options: BusOptions, purpose: string): Promise<NatsConnection> {
  const { name, tls, clock = systemClock } = options;
  const servers = serversOf(options);
  const { protocol, username, password } = servers[0] as URL;
  const giveUp = clock.monotonic() + 30_000;
  for (;;) {
    try {
      return await connect({
        servers: servers.map(server => server.host),
        name: `${name}/${purpose}`,
        ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
        ...((protocol === 'tls:' || tls) && { tls: tlsOptions(tls) }),
        // Only this user may read the replies to its requests.
        inboxPrefix: inboxPrefix(userOf(options)),
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        pingInterval: 10_000,
        // A stack trace per request would cost more than the request.
        noAsyncTraces: true,
      });
    } catch (error) {
      if (clock.monotonic() > giveUp) throw error;
      await clock.sleep(250);
    }
  }
}

function serversOf({ url }: BusOptions): URL[] {
  return url.split(',').map(text => new URL(text.includes('://') ? text : `nats://${text}`));
}

function userOf(options: BusOptions): string {
  const { username } = serversOf(options)[0] as URL;
  // Some characters are special in subjects.
  return (decodeURIComponent(username) || options.name).replace(/[^\w-]/g, '_');
}

function tlsOptions({ ca, cert, key }: BusTls = {}): TlsOptions {
  return { ...(ca && { caFile: ca }), ...(cert && { certFile: cert }), ...(key && { keyFile: key }) };
}

/** The client writes the connection's inbox prefix into its options, so each client gets a copy. */
const jetStreamOptions = {
  // A request sent during a reconnect is never answered; a short timeout lets the next one succeed soon.
  timeout: 1_500,
  // The first use shows if JetStream is available; the check would need permission to read the account.
  checkAPI: false,
};

export function jetStream(bus: Bus): JetStreamClient {
  return jetstream(bus.state, { ...jetStreamOptions });
}

export function streamManager(bus: Bus): Promise<JetStreamManager> {
  return jetstreamManager(bus.state, { ...jetStreamOptions });
}

/** JetStream on the connection for stored data. */
export interface StoreClients {
  connection: NatsConnection;
  client: JetStreamClient;
  manager: JetStreamManager;
}

/** Opens JetStream on the connection for stored data. */
export async function storeClients(bus: Bus): Promise<StoreClients> {
  const connection = await bus.openStore();
  const manager = await jetstreamManager(connection, { ...jetStreamOptions });
  return { connection, client: jetstream(connection, { ...jetStreamOptions }), manager };
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

/** Time in which a server answers a ping, in milliseconds. */
const answerMs = 1_000;
/** Shortest time from an answer to the next ping, in milliseconds. */
const restMs = 500;

/** Notices that a server stands still while its connection stays open. */
class Pulse {
  readonly #connection: NatsConnection;
  readonly #clock: Clock;
  /** When the ping was sent that has no answer, and when the last answer came, in milliseconds of the monotonic clock. */
  #pingedAt: number | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(connection: NatsConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** False if a ping has had no answer for too long. Sends one if none is on its way. */
  responds(): boolean {
    const now = this.#clock.monotonic();
    if (this.#pingedAt === undefined && now - this.#answeredAt >= restMs) this.#ping(now);
    return this.#pingedAt === undefined || now - this.#pingedAt < answerMs;
  }

  #ping(now: number): void {
    this.#pingedAt = now;
    const over = () => {
      this.#pingedAt = undefined;
      this.#answeredAt = this.#clock.monotonic();
    };
    // It rejects if the connection is lost.
    this.#connection.flush().then(over, over);
  }
}
