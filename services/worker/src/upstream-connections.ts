import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import { type LookupFunction, type OnReadOpts, Socket } from 'node:net';
import { getCACertificates } from 'node:tls';
import type { Clock } from '@model-gateway/clock';
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici';
import { publicLookup, publicOnly } from './private-addresses.ts';

/** Timeout for an upstream to accept a connection, in milliseconds. */
export const connectMs = 10_000;

/** Time from the last use of a way to its end, in milliseconds. */
export const closeAfterMs = 60_000;

/** The certificates of a connection: text of PEM files. */
interface TlsFiles {
  ca?: string;
  cert?: string;
  key?: string;
  serverName?: string;
}

/** The connection from a worker to a provider, where it is not the usual one. */
export interface ConnectionSettings {
  /** The URL of its proxy with the credentials, or `none`; if absent, as the environment says. */
  proxy?: string;
  tls?: TlsFiles;
  /** True if only public addresses are connected to. */
  publicOnly?: true;
}

/** The means to connect to an upstream, with its proxy and its certificates. */
export interface UpstreamConnection {
  dispatcher: Dispatcher;
  /** For WebSockets. */
  agent: HttpsAgent;
  /** For requests to the token service of a cloud, which the cloud's SDK makes. */
  tokenAgent: HttpsAgent;
  /** The same without TLS, if only public addresses are connected to. */
  plainTokenAgent?: HttpAgent;
  /** For WebSockets without TLS, which have no agent. */
  lookup?: LookupFunction;
}

/** The variables of the worker's environment that name proxies. */
export interface ProxyEnvironment {
  HTTP_PROXY?: string | undefined;
  HTTPS_PROXY?: string | undefined;
  NO_PROXY?: string | undefined;
}

/** Never asked by a proxy of the environment: the machine itself, as in Go's net/http, and the metadata servers of clouds. */
const nearby = 'localhost,127.0.0.1,::1,169.254.169.254,metadata.google.internal';

/** The most bytes of the headers of an answer. Gateways and filters before a model add many; undici's default is 16 KB. */
export const maxHeaders = 128 * 1024;

const pools = {
  connections: null,
  factory: (origin: string | URL, options: object) => new CountedPool(origin, options),
  // Attempts have their own timers, which stop while a client is slow.
  ...{ headersTimeout: 0, bodyTimeout: 0 },
  maxHeaderSize: maxHeaders,
};

/** Makes the ways to providers, one for each that is distinct, and closes those that no provider uses any more. */
export class UpstreamConnections {
  /** The way of providers without settings of their own. */
  readonly usual: Dispatcher;
  readonly #usualAgent: HttpsAgent | undefined;
  readonly #env: ProxyEnvironment;
  readonly #clock: Clock;
  readonly #connections = new Map<string, UpstreamConnection & { users: Set<string> }>();

  constructor(env: ProxyEnvironment, clock: Clock) {
    this.#clock = clock;
    const { HTTP_PROXY, HTTPS_PROXY, NO_PROXY } = env;
    this.#env = { HTTP_PROXY, HTTPS_PROXY, NO_PROXY: [NO_PROXY, nearby].filter(Boolean).join(',') };
    this.usual = this.#environmentDispatcher({});
    if (HTTP_PROXY || HTTPS_PROXY) this.#usualAgent = this.#agent(undefined, {});
  }

  /** The agent of WebSockets and token requests for providers without settings of their own; undefined without a proxy. */
  get usualAgent(): HttpsAgent | undefined {
    return this.#usualAgent;
  }

  /** Returns the way of a user in place of the one that it had; undefined for the usual one. */
  of(user: string, out: ConnectionSettings | undefined): UpstreamConnection | undefined {
    const id = out && JSON.stringify(out);
    this.#release(user, id);
    if (!out || id === undefined) return undefined;
    const found = this.#connections.get(id) ?? {
      ...this.#make(out),
      ...(out.publicOnly && { lookup: publicLookup }),
      users: new Set<string>(),
    };
    found.users.add(user);
    this.#connections.set(id, found);
    return found;
  }

  /** Forgets the users that this function names. */
  releaseIf(isGone: (user: string) => boolean): void {
    for (const { users } of [...this.#connections.values()])
      for (const user of [...users]) if (isGone(user)) this.#release(user, undefined);
  }

  async destroy(): Promise<void> {
    const all = [this.usual, ...[...this.#connections.values()].map(({ dispatcher }) => dispatcher)];
    this.#connections.clear();
    await Promise.all(all.map(dispatcher => dispatcher.destroy()));
  }

  #release(user: string, kept: string | undefined): void {
    for (const [id, via] of this.#connections) {
      if (id === kept || !via.users.delete(user) || via.users.size > 0) continue;
      this.#connections.delete(id);
      // A request that has looked it up may not be sent yet.
      this.#clock.setTimeout(() => close(via), closeAfterMs).unref();
    }
  }

  #make({ proxy, tls = {}, publicOnly: guarded }: ConnectionSettings): UpstreamConnection {
    const { serverName, ...files } = tls;
    const guard = guarded ? { lookup: publicLookup } : {};
    const options = { ...files, ...(serverName && { servername: serverName }), ...guard };
    const tokenAgent = this.#agent(proxy, { ...tokenFiles(files), ...guard }, { NO_PROXY: nearby });
    return {
      dispatcher: this.#dispatcher(proxy, options, guard),
      agent: this.#agent(proxy, options),
      tokenAgent: guarded ? publicOnly(tokenAgent) : tokenAgent,
      ...(guarded && { plainTokenAgent: publicOnly(new HttpAgent(guard)) }),
    };
  }

  #dispatcher(proxy: string | undefined, options: AgentOptions, guard: AgentOptions): Dispatcher {
    if (proxy === undefined) return this.#environmentDispatcher(options);
    const connect = { ...options, timeout: connectMs, onread: sharedReads };
    if (proxy === 'none') return new Agent({ ...pools, connect });
    return new ProxyAgent({
      ...{ uri: proxy, ...pools, proxyTls: { timeout: connectMs, ...guard }, requestTls: connect },
    });
  }

  #environmentDispatcher(options: AgentOptions): Dispatcher {
    const { HTTP_PROXY, HTTPS_PROXY, NO_PROXY } = this.#env;
    const connect = { ...options, timeout: connectMs, onread: sharedReads };
    if (!HTTP_PROXY && !HTTPS_PROXY) return new Agent({ ...pools, connect });
    return new EnvHttpProxyAgent({
      ...{ ...pools, connect, requestTls: connect },
      ...{ httpProxy: HTTP_PROXY ?? '', httpsProxy: HTTPS_PROXY ?? '', noProxy: NO_PROXY ?? '' },
    });
  }

  /** Returns an agent with a proxy of its own, without any, or with those of the environment. */
  #agent(proxy: string | undefined, options: AgentOptions, except: ProxyEnvironment = {}): HttpsAgent {
    const own = proxy === 'none' ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ...except };
    return new HttpsAgent({ ...options, proxyEnv: proxy === undefined ? { ...this.#env } : own });
  }
}

/** Returns the certificates for token services: the provider's CA, beside the public ones that their own are usually from. */
function tokenFiles({ ca, ...client }: Omit<TlsFiles, 'serverName'>): AgentOptions {
  return { ...client, ...(ca && { ca: [...getCACertificates('default'), ca] }) };
}

/** Closes a way once the requests that run on it have ended. */
function close({ dispatcher, agent, tokenAgent, plainTokenAgent }: UpstreamConnection): void {
  void dispatcher.close().catch(() => {});
  agent.destroy();
  tokenAgent.destroy();
  plainTokenAgent?.destroy();
}

/** The property that tells an agent how many connections a pool has. undici does not export its name. */
const connected = Object.getOwnPropertySymbols(Object.getPrototypeOf(Pool.prototype)).find(
  ({ description }) => description === 'connected',
);

/**
 * A pool that knows how many connections it has. For each connection that closes, an agent asks its pool whether another one is
 * left, and undici's own asks all of its clients: with thousands of streams that end, seconds.
 */
class CountedPool extends Pool {
  readonly #connected = new Set<Dispatcher | undefined>();

  // An accessor of the pool itself would make its other properties slow.
  static {
    if (connected)
      Object.defineProperty(CountedPool.prototype, connected, {
        get(this: CountedPool) {
          return this.#connected.size;
        },
      });
  }

  constructor(origin: string | URL, options: Pool.Options) {
    super(origin, options);
    // The client is the last of the targets.
    this.on('connect', (_origin, targets) => {
      this.#connected.add(targets.at(-1));
    });
    this.on('disconnect', (_origin, targets) => {
      this.#connected.delete(targets.at(-1));
    });
  }
}

/** The most bytes of one read; what Node allocates for each read otherwise. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** The socket whose reader is offered what arrived, and the bytes until they are taken. */
let offering: Socket | undefined;
let offered: Buffer | null = null;

/**
 * Lets all sockets read into one buffer, of which each gets a copy of what arrived. Otherwise Node allocates 64 KiB for every read, and an
 * `ArrayBuffer` that V8 frees by itself: a tenth of the CPU of a small read. A read ends before the next one begins. Node
 * calls the callback as a method of the socket (`onStreamRead` in its `lib/internal/stream_base_commons.js`). Sockets of HTTP/2 and of
 * TLS in a tunnel ignore it.
 */
export const sharedReads: OnReadOpts = {
  buffer,
  callback(this: Socket, length: number) {
    const part = Buffer.allocUnsafe(length);
    buffer.copy(part, 0, 0, length);
    return isTaken(this, part) || this.push(part);
  },
};

/**
 * Offers what arrived to a reader that calls `read()` at the event `readable`, as undici does. The way through the socket's own buffer costs a
 * sixth of the CPU of a small read: it emits the event in a later tick.
 */
function isTaken(socket: Socket, part: Buffer): boolean {
  // Earlier bytes are read first.
  if (socket.readableLength > 0) return false;
  socket.read = readOffered;
  offering = socket;
  offered = part;
  try {
    socket.emit('readable');
    return offered === null;
  } finally {
    offering = undefined;
    offered = null;
  }
}

function readOffered(this: Socket, size?: number): Buffer | null {
  if (this !== offering || size !== undefined) return Socket.prototype.read.call(this, size);
  const part = offered;
  offered = null;
  return part;
}
