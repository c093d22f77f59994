import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecret } from '@model-gateway/access/secret';
import {
  Certificate,
  certificateFiles,
  connectionLimits,
  persistentFile,
  replaceFile,
} from '@model-gateway/service/configuration';
import { findNatsServer } from '../setup/nats-server/find.mjs';
import { catalogText, ollamaModels, ollamaUrl } from './catalog.ts';
import { ClientPort } from './client-port.ts';
import { lockDataFolder, openDataFolder } from './data-folder.ts';
import { type ServiceName, serviceEnvironment } from './environment.ts';
import { metricsTargets } from './metrics-targets.ts';
import { type NatsService, natsProgram, natsServer } from './nats-program.ts';
import { untilReady } from './ready.ts';
import { type Program, serviceProgram } from './service-program.ts';
import { processNames, type Settings, serviceOf } from './settings.ts';
import { Supervisor } from './supervisor.ts';

/** The time that a process may take to end after its drain. It is killed then. */
const graceMs = 5_000;
/** The services without which no request is answered. */
const mustBeReady = ['worker', 'front'];
/** The order in which services are stopped: a service outlives those that use it. */
const stopOrder = [['front'], ['worker', 'simulator', 'control'], [natsServer]];

/** The values that a client needs, as in the ready file. */
export interface Ready {
  baseUrl: string;
  consoleUrl: string;
  /** A token for every model and endpoint, without admin rights. */
  token: string;
  adminToken: string;
  /** The URL that control uses, with a password if the launcher started this NATS. */
  natsUrl: string;
}

/** The values of the startup banner. */
export interface Welcome extends Pick<Ready, 'baseUrl' | 'consoleUrl' | 'token'> {
  models: string[];
  /** The file that stores the token. */
  tokenFile: string;
  /** True if this start created the token. */
  isNew: boolean;
  /** The file with the first admin's password; null if it was changed, or comes from a setting. */
  adminPasswordFile: string | null;
}

const say = (line: string) => console.error(line);

/** The settings of services behind the front, which listen on the loopback without TLS. */
const loopbackEnv = {
  // glibc would keep freed memory for each thread.
  MALLOC_ARENA_MAX: '2',
  HOST: '127.0.0.1',
  PORT: '0',
  LISTEN_FD: '',
  REUSE_PORT: '',
  OPS_PORT: '0',
  GATEWAY_TLS_CERT: '',
  GATEWAY_TLS_KEY: '',
  GATEWAY_TLS_CERT_FILE: '',
  GATEWAY_TLS_KEY_FILE: '',
};

/** The settings of control, whose only client is the front. The front sends its clients' addresses. */
const controlEnv = {
  GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
  // The compiler of the embedded database frees large blocks, which glibc would keep: 50 MiB.
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/** Starts and stops all processes of a gateway on one machine. */
export class Gateway {
  readonly #settings: Settings;
  readonly #env: NodeJS.ProcessEnv;
  readonly #stopped = new AbortController();
  readonly #supervisors = new Map<string, Supervisor>();
  #lock: Disposable | undefined;
  #port: ClientPort | undefined;
  #ready: Ready | undefined;

  /** @throws ConfigError if the certificate is unusable, or the limit of open files is too low for the connections */
  constructor(settings: Settings, env: NodeJS.ProcessEnv) {
    this.#settings = settings;
    const files = certificateFiles(settings);
    if (files) new Certificate(files);
    connectionLimits(settings);
    this.#env = env;
  }

  /** Resolves once requests can be served. If it throws, {@link stop} must be called. */
  async start(): Promise<Welcome> {
    const { GATEWAY_DATA: data, GATEWAY_ADMIN_TOKEN, GATEWAY_READY_FILE } = this.#settings;
    await openDataFolder(data, say);
    this.#lock = lockDataFolder(data);
    this.#port = await this.#bindPort();
    if (GATEWAY_READY_FILE) await rm(GATEWAY_READY_FILE, { force: true });
    const tokenFile = join(data, 'token');
    const isNew = !existsSync(tokenFile);
    const token = persistentFile(tokenFile, createSecret);
    const adminToken = GATEWAY_ADMIN_TOKEN ?? persistentFile(join(data, 'admin-token'), createSecret);
    const [natsUrlFor, config] = await Promise.all([this.#nats(), this.#catalog()]);
    const baseUrl = await this.#services(natsUrlFor, config, token, adminToken);
    const names = [...this.#supervisors.keys()].filter(name => mustBeReady.includes(serviceOf(name)));
    const readiness = Object.fromEntries(names.map(name => [name, this.#opsUrl(name)]));
    const models = await untilReady({ baseUrl, token, readiness }, this.#stopped.signal);
    this.#ready = {
      baseUrl,
      consoleUrl: `${baseUrl}/console`,
      token,
      adminToken,
      natsUrl: natsUrlFor('control'),
    };
    await this.#processesChanged();
    const passwordFile = join(data, 'admin-password');
    const adminPasswordFile = existsSync(passwordFile) ? passwordFile : null;
    return { ...this.#ready, models, tokenFile, isNew, adminPasswordFile };
  }

  /** Lets running requests end within GATEWAY_DRAIN, then stops everything, NATS last. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    // An open socket would accept connections that no process serves.
    this.#port?.[Symbol.dispose]();
    const drained = Date.now() + this.#settings.GATEWAY_DRAIN + graceMs;
    for (const services of stopOrder) {
      const until = Math.max(drained, Date.now() + graceMs);
      const supervisors = [...this.#supervisors.values()].filter(({ name }) =>
        services.includes(serviceOf(name)),
      );
      await Promise.all(supervisors.map(supervisor => supervisor.stop(until)));
    }
    this.#lock?.[Symbol.dispose]();
  }

  async #bindPort(): Promise<ClientPort> {
    const { HOST, PORT, GATEWAY_FRONTS } = this.#settings;
    const port = await ClientPort.bind(HOST, PORT, GATEWAY_FRONTS);
    if (port.fronts < GATEWAY_FRONTS) {
      say('npm start: one front is started, since this system does not spread connections over several');
    }
    return port;
  }

  /** Returns the URL of NATS for each service; starts a nats-server unless NATS_URL is set. */
  async #nats(): Promise<(service: NatsService) => string> {
    const { NATS_URL } = this.#settings;
    if (NATS_URL) return () => NATS_URL;
    const binary = await findNatsServer({ env: this.#env, say, signal: this.#stopped.signal });
    const program = await natsProgram(binary, join(this.#settings.GATEWAY_DATA, 'nats'));
    const url = (await this.#supervise(program)) as string;
    return service => program.urlFor(service, url);
  }

  /** Returns the path of the catalog: GATEWAY_CONFIG, or a generated one with the providers of this machine. */
  async #catalog(): Promise<string> {
    const { GATEWAY_CONFIG, GATEWAY_DATA } = this.#settings;
    if (GATEWAY_CONFIG) return GATEWAY_CONFIG;
    const simulator = this.#service('simulator', 'services/simulator/src/main.ts');
    const [simulatorUrl, ollama] = await Promise.all([simulator, ollamaModels(ollamaUrl(this.#env))]);
    const file = join(GATEWAY_DATA, 'gateway.yaml');
    await replaceFile(file, catalogText({ simulatorUrl: simulatorUrl as string, ollama, env: this.#env }));
    return file;
  }

  /** Starts control, workers and fronts, and returns the address for clients. */
  async #services(
    natsUrlFor: (service: NatsService) => string,
    config: string,
    token: string,
    adminToken: string,
  ): Promise<string> {
    const { GATEWAY_WORKERS: workers } = this.#settings;
    const busEnv = (service: NatsService) => {
      return { NATS_URL: natsUrlFor(service), GATEWAY_DATA: this.#settings.GATEWAY_DATA };
    };
    const secrets = { GATEWAY_CONFIG: config, GATEWAY_FIRST_TOKEN: token, GATEWAY_ADMIN_TOKEN: adminToken };
    const [controlUrl] = await Promise.all([
      this.#service('control', 'services/control/src/main.ts', {
        ...busEnv('control'),
        ...secrets,
        ...controlEnv,
      }),
      this.#service('worker', 'services/worker/src/main.ts', busEnv('worker'), { count: workers }),
    ]);
    const { GATEWAY_TLS_CERT, GATEWAY_TLS_KEY } = this.#settings;
    const tls = { GATEWAY_TLS_CERT, GATEWAY_TLS_KEY };
    const front = { ...tls, CONTROL_URL: controlUrl as string, NATS_URL: natsUrlFor('front') };
    const port = this.#port as ClientPort;
    return fromThisMachine(
      (await this.#service('front', 'deploy/launcher/src/front/main.ts', front, {
        count: port.fronts,
        port,
      })) as string,
    );
  }

  /**
   * Starts the processes of a service with its part of the environment and `overrides`. They share `port` if it is set.
   * Returns the address of the first.
   */
  async #service(
    service: ServiceName,
    entry: string,
    overrides: NodeJS.ProcessEnv = {},
    { count = 1, port }: { count?: number; port?: ClientPort } = {},
  ): Promise<string | null> {
    const env = { ...serviceEnvironment(service, this.#env), ...loopbackEnv, ...overrides };
    const programs = processNames(service, count).map(name => serviceProgram(name, entry, env, port));
    const [url] = await Promise.all(programs.map(program => this.#supervise(program)));
    return url as string | null;
  }

  async #supervise(program: Program): Promise<string | null> {
    this.#stopped.signal.throwIfAborted();
    const supervisor = new Supervisor(program, () => void this.#processesChanged());
    this.#supervisors.set(program.name, supervisor);
    return (await supervisor.start()).url;
  }

  /** Writes the files that tell where the processes are. */
  async #processesChanged(): Promise<void> {
    await Promise.all([this.#writeReady(), this.#writeTargets()]);
  }

  #opsUrl(name: string): string {
    return fromThisMachine(this.#supervisors.get(name)?.started?.opsUrl ?? '');
  }

  async #writeReady(): Promise<void> {
    const { GATEWAY_READY_FILE: file } = this.#settings;
    if (!file || !this.#ready) return;
    const processes = [...this.#supervisors.values()].map(({ name, pid }) => {
      return { name, pid, healthUrl: `${this.#opsUrl(name)}/healthz` };
    });
    await replaceFile(file, `${JSON.stringify({ ...this.#ready, processes }, null, 2)}\n`);
  }

  async #writeTargets(): Promise<void> {
    if (!this.#ready) return;
    const started = [...this.#supervisors.values()].flatMap(({ name, started }) => {
      return started?.opsUrl && name !== natsServer
        ? [{ component: serviceOf(name), url: this.#opsUrl(name) }]
        : [];
    });
    await replaceFile(join(this.#settings.GATEWAY_DATA, 'metrics-targets.json'), metricsTargets(started));
  }
}

/** Converts a listen address to one to connect to: `0.0.0.0` and `::` become the loopback. */
function fromThisMachine(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
