import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@model-gateway/bus/testing';
import { stringify } from 'yaml';
import { until } from '../until.ts';

const root = resolve(import.meta.dirname, '../..');

/** The configuration of the collector in the Compose profile. */
export const collectorFile = join(root, 'deploy/telemetry/otel-collector.yaml');

/** The collector's builder, of the version that `otelcol.yaml` builds. */
export const collectorBuilder = 'go.opentelemetry.io/collector/cmd/builder@v0.132.0';
const built = join(root, '.cache/otelcol/otelcol');

const hasGo = spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;

export const whyNoCollector =
  process.env.OTELCOL_BIN || existsSync(built) || hasGo
    ? undefined
    : 'neither OTELCOL_BIN is set nor Go is installed';

/** Returns the program of an OpenTelemetry collector: OTELCOL_BIN, or one that is built by Go once. */
export function collectorProgram(): string {
  const { OTELCOL_BIN: given } = process.env;
  if (given) return given;
  if (existsSync(built)) return built;
  const { status, stderr } = spawnSync(
    'go',
    ['run', collectorBuilder, '--config', 'test/telemetry/otelcol.yaml'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`The collector was not built:\n${stderr.slice(-4_000)}`);
  return built;
}

/** Its own metrics have a fixed port, which is not used. */
const withoutMetrics = stringify({ service: { telemetry: { metrics: { level: 'none' } } } });

/** A real collector of OpenTelemetry. */
export class Collector implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
  }

  /** Starts one with this configuration, which must receive on the port. */
  static async start(config: string, port: number): Promise<Collector> {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-collector-'));
    const args = [config, withoutMetrics].flatMap((text, i) => {
      const file = join(folder, `${i}.yaml`);
      writeFileSync(file, text);
      return ['--config', file];
    });
    const child = spawn(collectorProgram(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', text => {
      output = (output + text).slice(-4_000);
    });
    const collector = new Collector(child, folder);
    try {
      await until('the collector is ready', async () => child.exitCode === null && accepts(port));
      return collector;
    } catch {
      await collector[Symbol.asyncDispose]();
      throw new Error(`The collector did not start:\n${output}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const open = await once(socket, 'connect').catch(() => undefined);
  socket.destroy();
  return open !== undefined;
}

/** Starts the collector of the Compose profile: its file, with the addresses of this machine. */
export async function startCollector(store: string): Promise<{ collector: Collector; url: string }> {
  const [http, grpc] = [await freePort(), await freePort()];
  const addresses = {
    '0.0.0.0:4318': `127.0.0.1:${http}`,
    '0.0.0.0:4317': `127.0.0.1:${grpc}`,
    'tempo:4317': store,
  };
  let config = readFileSync(collectorFile, 'utf8');
  for (const [address, here] of Object.entries(addresses)) {
    if (!config.includes(address)) throw new Error(`The collector's file does not name ${address}.`);
    config = config.replace(address, here);
  }
  return { collector: await Collector.start(config, http), url: `http://127.0.0.1:${http}` };
}
