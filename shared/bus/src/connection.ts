import { connect, type NatsConnection } from 'nats';

/** A process's two connections: a cut of one, for a reader that was too slow, does not take the other along. */
export interface Bus {
  /** The server and name that it was connected with. */
  readonly options: BusOptions;
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
  /** One or more `nats://[user:password@]host:port`, separated by commas. */
  url: string;
  /** Shown in the server's connection list. */
  name: string;
}

/** Connects to NATS; rejects if no server answers within 30 s. Later losses heal by themselves, however long they last. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { url, name } = options;
  const [calls, state] = await Promise.all([dial(url, `${name}/calls`), dial(url, `${name}/state`)]);
  const away = new Set<NatsConnection>();
  for (const connection of [calls, state]) void follow(connection, away);
  return {
    options,
    calls,
    state,
    connected: () => away.size === 0,
    async close() {
      await Promise.all([calls, state].map(connection => connection.drain().catch(() => connection.close())));
    },
  };
}

/** Keeps note of whether a connection is there. */
async function follow(connection: NatsConnection, away: Set<NatsConnection>): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'disconnect') away.add(connection);
    if (type === 'reconnect') away.delete(connection);
  }
}

/** Connects once; rejects if no server answers within 30 s. */
export async function dial(url: string, name: string): Promise<NatsConnection> {
  const servers = url.split(',').map(text => new URL(text.includes('://') ? text : `nats://${text}`));
  const { username, password } = servers[0] as URL;
  const giveUp = Date.now() + 30_000;
  for (;;) {
    try {
      return await connect({
        servers: servers.map(server => server.host),
        name,
        ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
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
