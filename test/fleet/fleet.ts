import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OwnNatsServer, startOwnNats, urlFor } from '@model-gateway/bus/testing';
import type { Started } from '@model-gateway/service';
import type { SentAnswer } from '@model-gateway/simulator';
import { newDataFolder } from '../../services/control/src/testing/data-folder.ts';
import { until } from '../until.ts';

const upMs = 120_000;
const endMs = 60_000;

/** The programs of a fleet. `front` is every ingress, as `npm start` runs them. */
export type FleetProgram = 'simulator' | 'control' | 'worker' | 'front' | 'realtime';

/** A service in its own process, which a test may kill. */
export class FleetProcess {
  readonly name: FleetProgram;
  /** Its URL, without a slash at the end. */
  url = '';
  opsUrl = '';
  readonly #child: ChildProcess;
  readonly #output: string[] = [];

  constructor(name: FleetProgram, env: NodeJS.ProcessEnv) {
    this.name = name;
    const file = fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
    this.#child = fork(file, { env: { ...process.env, ...env }, silent: true, execArgv: [] });
    this.#child.stdout?.on('data', text => this.#output.push(String(text)));
    this.#child.stderr?.on('data', text => this.#output.push(String(text)));
  }

  /** @throws Error with its output if it does not start */
  async up(): Promise<this> {
    const ended = once(this.#child, 'exit').then(() => undefined);
    const [message] = (await Promise.race([
      once(this.#child, 'message', { signal: AbortSignal.timeout(upMs) }),
      ended,
    ]).catch(() => undefined)) ?? [undefined];
    if (!message) throw new Error(`${this.name} did not come up:\n${this.log.slice(-4_000)}`);
    const { url, opsUrl } = message as Started;
    this.url = url ?? '';
    this.opsUrl = opsUrl;
    return this;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Its log so far. */
  get log(): string {
    return this.#output.join('');
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal; SIGKILL and SIGSTOP take effect at once. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Stops it in order; returns the exit code. */
  async stop(): Promise<number | null> {
    if (!this.running) return this.#child.exitCode;
    this.#child.kill('SIGCONT');
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), endMs);
    const [code] = await once(this.#child, 'exit');
    clearTimeout(late);
    return code;
  }

  /** Kills it and waits until it has ended. */
  async kill(): Promise<void> {
    if (!this.running) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

export interface FleetOptions {
  /** One or more NATS servers, separated by commas, which the test starts and stops; by default the fleet has one of its own. */
  natsUrl?: string;
  workers?: number;
  fronts?: number;
  /** Settings of every process, as environment variables. */
  env?: Record<string, string>;
  /** The catalog for the simulator's address; by default all of the simulator's models, in both formats. */
  catalog?: (simulatorUrl: string) => string;
}

/** A whole gateway of real processes, some of which a test may kill. */
export class Fleet implements AsyncDisposable {
  /** A token that is allowed everything. */
  readonly token = `sk-${randomBytes(32).toString('base64url')}`;
  readonly adminToken = randomBytes(16).toString('hex');
  readonly #masterKey = randomBytes(32).toString('hex');
  /** The folder in which control and the workers store their data. */
  readonly folder: string;
  readonly workers: FleetProcess[] = [];
  readonly fronts: FleetProcess[] = [];
  control!: FleetProcess;
  simulator!: FleetProcess;
  /** The fleet's own NATS server, if it has one. */
  nats!: OwnNatsServer;
  readonly #all: FleetProcess[] = [];
  #natsUrl = '';
  readonly #env: NodeJS.ProcessEnv;

  private constructor({ env }: FleetOptions, folder: string) {
    this.folder = folder;
    this.#env = {
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'info',
      GATEWAY_DRAIN: '15s',
      ...env,
    };
  }

  static async start(options: FleetOptions = {}): Promise<Fleet> {
    const fleet = new Fleet(options, await newDataFolder());
    try {
      await fleet.#start(options);
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #start({ natsUrl, workers = 1, fronts = 1, catalog = simulated }: FleetOptions): Promise<void> {
    if (!natsUrl) this.nats = await startOwnNats();
    this.#natsUrl = natsUrl ?? this.nats.url;
    this.simulator = await this.#spawn('simulator').up();
    writeFileSync(join(this.folder, 'gateway.yaml'), catalog(this.simulator.url));
    await this.startControl();
    await Promise.all([
      ...Array.from({ length: workers }, () => this.startWorker()),
      ...Array.from({ length: fronts }, () => this.startFront()),
    ]);
    await Promise.all(this.fronts.map(front => untilReady(front)));
  }

  /** `readyMs`: the longest time until it is ready. */
  async startControl(readyMs?: number): Promise<FleetProcess> {
    this.control = await this.#spawn('control', {
      GATEWAY_DATA: this.folder,
      GATEWAY_CONFIG: join(this.folder, 'gateway.yaml'),
      GATEWAY_ADMIN_TOKEN: this.adminToken,
      GATEWAY_FIRST_TOKEN: this.token,
      GATEWAY_MASTER_KEY: this.#masterKey,
    }).up();
    await untilReady(this.control, readyMs);
    return this.control;
  }

  async startWorker(env?: Record<string, string>): Promise<FleetProcess> {
    const worker = await this.#spawn('worker', { GATEWAY_DATA: this.folder, ...env }).up();
    this.workers.push(worker);
    return worker;
  }

  async startFront(env?: Record<string, string>): Promise<FleetProcess> {
    const front = await this.#spawn('front', { CONTROL_URL: this.control.url, ...env }).up();
    this.fronts.push(front);
    return front;
  }

  /** A process with realtime sessions only, as in a container; a front has them too. */
  async startRealtime(env?: Record<string, string>): Promise<FleetProcess> {
    const realtime = await this.#spawn('realtime', env).up();
    await untilReady(realtime);
    return realtime;
  }

  /** Sends a request to the admin API. */
  async admin(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${this.control.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined };
  }

  /** Creates a token that every front knows; returns its id and secret. */
  async createToken(fields: Record<string, unknown> = {}): Promise<{ id: string; token: string }> {
    const { status, body } = await this.admin('POST', '/tokens', { name: 'test', ...fields });
    if (status !== 201) throw new Error(`a token was refused: ${status} ${JSON.stringify(body)}`);
    const made = body as { id: string; token: string };
    await Promise.all(this.fronts.map(({ url }) => untilKnown(url, made.token)));
    return made;
  }

  /** The simulator's counts so far. */
  async stats(): Promise<{
    requests: number;
    streams: number;
    cancelled: number;
    usage: { input: number; output: number };
  }> {
    return (await fetch(`${this.simulator.url}/stats`)).json() as Promise<
      Awaited<ReturnType<Fleet['stats']>>
    >;
  }

  /** The simulator's answers so far; empty unless `SIMULATOR_RECORD` is 1. */
  async answers(): Promise<SentAnswer[]> {
    return (await fetch(`${this.simulator.url}/answers`)).json() as Promise<SentAnswer[]>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map(each => each.kill()));
    await this.nats?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(name: FleetProgram, env: NodeJS.ProcessEnv = {}): FleetProcess {
    const nats = name !== 'simulator' && { NATS_URL: urlFor(this.#natsUrl, name, env.GATEWAY_POOL) };
    const started = new FleetProcess(name, { ...nats, ...this.#env, ...env });
    this.#all.push(started);
    return started;
  }
}

/** Waits until a process reports that it is ready. */
export async function untilReady({ name, opsUrl }: FleetProcess, ms = upMs): Promise<void> {
  const look = async () => {
    const response = await fetch(`${opsUrl}/readyz`);
    if (!response.ok) throw new Error(await response.text());
    return true;
  };
  await until(`${name} is ready`, look, ms);
}

/** Number of requests that an ingress serves. */
export async function requestsRunning({ opsUrl }: FleetProcess): Promise<number> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^gateway_requests_running\S* (\d+)/m.exec(metrics)?.[1]);
}

/** Resident memory of a process in bytes; on Linux only. */
export function residentBytes({ pid }: { pid: number }): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4_096;
}

function simulated(simulatorUrl: string): string {
  return `providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "${simulatorUrl}/v1" }
  - { name: messages, kind: anthropic, baseUrl: "${simulatorUrl}", apiKey: { value: any } }
models:
  - { name: "sim-*", targets: [ { provider: simulator, model: "sim-*" } ] }
  - { name: "fault-*", targets: [ { provider: simulator, model: "fault-*" } ] }
  - { name: "messages/*", targets: [ { provider: messages, model: "*" } ] }
`;
}

/** Fronts hear of a token from KV, a moment after it was made. */
async function untilKnown(url: string, token: string): Promise<void> {
  await until('a front knows a new token', async () => {
    const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    return response.status !== 401;
  });
}
