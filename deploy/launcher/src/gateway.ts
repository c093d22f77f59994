import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { BoundSocket } from 'node:net';
import { join } from 'node:path';
import { createSecret } from '@model-gateway/access';
import { keptFile } from '@model-gateway/catalog';
import { Certificate, certificateFiles, connectionLimits } from '@model-gateway/service';
import { catalogText, ollamaModels } from './catalog.ts';
import { bindClientPort } from './client-port.ts';
import { lockData, openDataFolder } from './data-folder.ts';
import { type ServiceName, serviceEnvironment } from './environment.ts';
import { type NatsService, natsProgram } from './nats-program.ts';
import { findNatsServer } from './nats-server/find.ts';
import { untilReady } from './ready.ts';
import { type Program, serviceProgram } from './service-program.ts';
import { processNames, type Settings, serviceOf } from './settings.ts';
import { Supervisor } from './supervisor.ts';
import { writeWhole } from './write-whole.ts';

/** A process may take this long to end after its drain, and is killed then. */
const graceMs = 5_000;
/** The services without which no request is answered. */
const mustBeReady = ['worker', 'front'];
/** The order in which services are stopped: what is used outlives what uses it. */
const stopOrder = [['front'], ['worker', 'simulator', 'control'], ['nats-server']];

/** What a client needs, and what the ready file says. */
export interface Ready {
  baseUrl: string;
  consoleUrl: string;
  /** May use every model and endpoint, and has no admin right. */
  token: string;
  adminToken: string;
  /** As control reaches it: with a password where the NATS was started here. */
  natsUrl: string;
}

/** The facts that the person who started the gateway is shown. */
export interface Welcome extends Pick<Ready, 'baseUrl' | 'consoleUrl' | 'token'> {
  models: string[];
  /** The file that keeps the token. */
  tokenFile: string;
  /** Set where the token was made by this start. */
  isNew: boolean;
}

const say = (line: string) => console.error(line);

/** What concerns the door alone: those behind it are reached on the loopback, in the clear. */
const loopbackEnv = {
  HOST: '127.0.0.1',
  PORT: '0',
  LISTEN_FD: '',
  OPS_PORT: '0',
  GATEWAY_TLS_CERT: '',
  GATEWAY_TLS_KEY: '',
  GATEWAY_TLS_CERT_FILE: '',
  GATEWAY_TLS_KEY_FILE: '',
};

/** Control has one client, the front, which tells it the addresses of its own. */
const behindFront = { GATEWAY_TRUSTED_PROXIES: '127.0.0.1' };

/** All processes of a gateway on one machine. */
export class Gateway {
  readonly #settings: Settings;
  readonly #env: NodeJS.ProcessEnv;
  readonly #stopped = new AbortController();
  readonly #keepers = new Map<string, Supervisor>();
  #lock: Disposable | undefined;
  #port: BoundSocket | undefined;
  #ready: Ready | undefined;

  /** @throws ConfigError where the certificate cannot be used, or there are too few files for the connections */
  constructor(settings: Settings, env: NodeJS.ProcessEnv) {
    this.#settings = settings;
    const files = certificateFiles(settings);
    if (files) new Certificate(files);
    connectionLimits(settings);
    this.#env = env;
  }

  /** Resolves once requests can be answered. Whatever is thrown, {@link stop} must be called. */
  async start(): Promise<Welcome> {
    const { GATEWAY_DATA: data, GATEWAY_ADMIN_TOKEN, HOST, PORT, GATEWAY_READY_FILE } = this.#settings;
    await openDataFolder(data, say);
    this.#lock = lockData(data);
    this.#port = await bindClientPort(HOST, PORT);
    if (GATEWAY_READY_FILE) await rm(GATEWAY_READY_FILE, { force: true });
    const tokenFile = join(data, 'token');
    const isNew = !existsSync(tokenFile);
    const token = keptFile(tokenFile, createSecret);
    const adminToken = GATEWAY_ADMIN_TOKEN ?? keptFile(join(data, 'admin-token'), createSecret);
    const [natsUrlFor, config] = await Promise.all([this.#nats(), this.#catalog()]);
    const baseUrl = await this.#services(natsUrlFor, config, token, adminToken);
    const asked = [...this.#keepers.keys()].filter(name => mustBeReady.includes(serviceOf(name)));
    const readiness = Object.fromEntries(asked.map(name => [name, this.#opsUrl(name)]));
    const models = await untilReady({ baseUrl, token, readiness }, this.#stopped.signal);
    this.#ready = {
      baseUrl,
      consoleUrl: `${baseUrl}/console`,
      token,
      adminToken,
      natsUrl: natsUrlFor('control'),
    };
    await this.#writeReady();
    return { ...this.#ready, models, tokenFile, isNew };
  }

  /** Lets running requests end within GATEWAY_DRAIN, then stops everything, NATS last. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    // Kept open, it would take connections that nobody answers.
    this.#port?.[Symbol.dispose]();
    const drained = Date.now() + this.#settings.GATEWAY_DRAIN + graceMs;
    for (const services of stopOrder) {
      const until = Math.max(drained, Date.now() + graceMs);
      const keepers = [...this.#keepers.values()].filter(({ name }) => services.includes(serviceOf(name)));
      await Promise.all(keepers.map(keeper => keeper.stop(until)));
    }
    this.#lock?.[Symbol.dispose]();
  }

  /** Gives the address of NATS for each service. */
  async #nats(): Promise<(service: NatsService) => string> {
    const { NATS_URL } = this.#settings;
    if (NATS_URL) return () => NATS_URL;
    const binary = await findNatsServer({ env: this.#env, say, signal: this.#stopped.signal });
    const program = await natsProgram(binary, join(this.#settings.GATEWAY_DATA, 'nats'));
    const url = (await this.#keep(program)) as string;
    return service => program.urlFor(service, url);
  }

  /** The path of the catalog: the one that was named, or one made of what this machine offers. */
  async #catalog(): Promise<string> {
    const { GATEWAY_CONFIG, GATEWAY_DATA } = this.#settings;
    if (GATEWAY_CONFIG) return GATEWAY_CONFIG;
    const simulator = this.#service('simulator', 'services/simulator/src/main.ts');
    const [simulatorUrl, ollama] = await Promise.all([simulator, ollamaModels()]);
    const file = join(GATEWAY_DATA, 'gateway.yaml');
    await writeWhole(file, catalogText({ simulatorUrl: simulatorUrl as string, ollama, env: this.#env }));
    return file;
  }

  /** Starts the gateway's own services and gives the address for clients. */
  async #services(
    natsUrlFor: (service: NatsService) => string,
    config: string,
    token: string,
    adminToken: string,
  ): Promise<string> {
    const { GATEWAY_WORKERS: workers, GATEWAY_FRONTS: fronts } = this.#settings;
    const inside = (service: NatsService) => {
      return { NATS_URL: natsUrlFor(service), GATEWAY_DATA: this.#settings.GATEWAY_DATA };
    };
    const secrets = { GATEWAY_CONFIG: config, GATEWAY_FIRST_TOKEN: token, GATEWAY_ADMIN_TOKEN: adminToken };
    const [controlUrl] = await Promise.all([
      this.#service('control', 'services/control/src/main.ts', {
        ...inside('control'),
        ...secrets,
        ...behindFront,
      }),
      this.#service('worker', 'services/worker/src/main.ts', inside('worker'), { count: workers }),
    ]);
    const { GATEWAY_TLS_CERT, GATEWAY_TLS_KEY } = this.#settings;
    const tls = { GATEWAY_TLS_CERT, GATEWAY_TLS_KEY };
    const front = { ...tls, CONTROL_URL: controlUrl as string, NATS_URL: natsUrlFor('front') };
    const several = { count: fronts, port: this.#port };
    return fromThisMachine(
      (await this.#service('front', 'deploy/launcher/src/front/main.ts', front, several)) as string,
    );
  }

  /**
   * Starts the processes of a service with its part of the environment, and what they are `told` beside that. With `port`
   * they share it. Gives the address of the first.
   */
  async #service(
    service: ServiceName,
    entry: string,
    told: NodeJS.ProcessEnv = {},
    { count = 1, port }: { count?: number; port?: BoundSocket | undefined } = {},
  ): Promise<string | null> {
    const env = { ...serviceEnvironment(service, this.#env), ...loopbackEnv, ...told };
    const programs = processNames(service, count).map(name => serviceProgram(name, entry, env, port));
    const [url] = await Promise.all(programs.map(program => this.#keep(program)));
    return url as string | null;
  }

  async #keep(program: Program): Promise<string | null> {
    this.#stopped.signal.throwIfAborted();
    const keeper = new Supervisor(program, () => void this.#writeReady());
    this.#keepers.set(program.name, keeper);
    return (await keeper.start()).url;
  }

  #opsUrl(name: string): string {
    return fromThisMachine(this.#keepers.get(name)?.started?.opsUrl ?? '');
  }

  async #writeReady(): Promise<void> {
    const { GATEWAY_READY_FILE: file } = this.#settings;
    if (!file || !this.#ready) return;
    const processes = [...this.#keepers.values()].map(({ name, pid }) => {
      return { name, pid, healthUrl: `${this.#opsUrl(name)}/healthz` };
    });
    await writeWhole(file, `${JSON.stringify({ ...this.#ready, processes }, null, 2)}\n`);
  }
}

/** An address to connect to, of one to listen on: `0.0.0.0` and `::` mean every address of the machine. */
function fromThisMachine(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
