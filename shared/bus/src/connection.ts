import { connect, type NatsConnection, PermissionViolationError, type TlsOptions } from 'nats';
import { inboxPrefix } from './subjects.ts';

/** A process's two connections: a cut of one, for a reader that was too slow, does not take the other along. */
export interface Bus {
  /** The server and name that it was connected with. */
  readonly options: BusOptions;
  /** The NATS user, a token of the subjects that are this user's own; the name where the server asks for no user. */
  readonly user: string;
  /** Requests and answers. */
  readonly calls: NatsConnection;
  /** KV, streams and control messages. */
  readonly state: NatsConnection;
  /** Whether both reach the server now. */
  connected(): boolean;
  /** Finishes what was published and closes both. */
  close(): Promise<void>;
}

export interface BusOptions {
  /** One or more `nats://[user:password@]host:port`, separated by commas; `tls://` where the server must speak TLS. */
  url: string;
  /** Shown in the server's connection list. */
  name: string;
  tls?: BusTls | undefined;
}

/** Paths of PEM files. */
export interface BusTls {
  /** The authorities that sign the server's certificate; those of the system where absent. */
  ca?: string | undefined;
  /** The certificate by which the server knows this client, and its key. */
  cert?: string | undefined;
  key?: string | undefined;
}

/** A subject that the server does not let this user publish on or subscribe to. */
export interface DeniedSubject {
  subject: string;
  operation: 'publish' | 'subscription';
}

export type OnDenied = (denied: DeniedSubject) => void;

/**
 * Connects to NATS; rejects if no server answers within 30 s. Later losses heal by themselves, however long they last.
 * `onDenied` hears of each subject that this user may not use: the server drops such a message without a word to its sender.
 */
export async function connectBus(options: BusOptions, onDenied?: OnDenied): Promise<Bus> {
  const [calls, state] = await Promise.all([dial(options, 'calls'), dial(options, 'state')]);
  const away = new Set<NatsConnection>();
  for (const connection of [calls, state]) void follow(connection, away, onDenied);
  return {
    options,
    user: userOf(options),
    calls,
    state,
    connected: () => away.size === 0,
    async close() {
      await Promise.all([calls, state].map(connection => connection.drain().catch(() => connection.close())));
    },
  };
}

/** Keeps note of whether a connection is there, and reports what it may not do. */
async function follow(
  connection: NatsConnection,
  away: Set<NatsConnection>,
  onDenied: OnDenied | undefined,
): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') away.add(connection);
    if (status.type === 'reconnect') away.delete(connection);
    if (status.type === 'error' && status.error instanceof PermissionViolationError) onDenied?.(status.error);
  }
}

/** Connects once, for one of a process's purposes; rejects if no server answers within 30 s. */
export async function dial(options: BusOptions, purpose: string): Promise<NatsConnection> {
  const { name, tls } = options;
  const servers = serversOf(options);
  const { protocol, username, password } = servers[0] as URL;
  const giveUp = Date.now() + 30_000;
  for (;;) {
    try {
      return await connect({
        servers: servers.map(server => server.host),
        name: `${name}/${purpose}`,
        ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
        ...((protocol === 'tls:' || tls) && { tls: tlsOptions(tls) }),
        // Nobody else may read the answers to this user's requests.
        inboxPrefix: inboxPrefix(userOf(options)),
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        pingInterval: 10_000,
        // What each request would otherwise keep of its caller costs more than the request.
        noAsyncTraces: true,
      });
    } catch (error) {
      if (Date.now() > giveUp) throw error;
      await new Promise(resolve => setTimeout(resolve, 250));
    }
  }
}

function serversOf({ url }: BusOptions): URL[] {
  return url.split(',').map(text => new URL(text.includes('://') ? text : `nats://${text}`));
}

function userOf(options: BusOptions): string {
  const { username } = serversOf(options)[0] as URL;
  // Some characters have a meaning in subjects.
  return (decodeURIComponent(username) || options.name).replace(/[^\w-]/g, '_');
}

function tlsOptions({ ca, cert, key }: BusTls = {}): TlsOptions {
  return { ...(ca && { caFile: ca }), ...(cert && { certFile: cert }), ...(key && { keyFile: key }) };
}
