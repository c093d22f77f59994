import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReadyFile } from '../test/launcher/launched.ts';
import { Child } from './child.ts';

const upMs = 90_000;

/** A gateway as `npm start` runs it. */
export interface StartedGateway extends AsyncDisposable {
  /** `http://host:port`. */
  url: string;
  token: string;
  /** All its processes by name, including the launcher. */
  pids: Record<string, number>;
}

/** Starts a gateway whose only provider is the simulator at `simulatorUrl`. `more` are further settings. */
export async function startGateway(
  simulatorUrl: string,
  signal: AbortSignal,
  more: Record<string, string> = {},
): Promise<StartedGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const config = join(folder, 'gateway.yaml');
  const readyFile = join(folder, 'ready.json');
  const log = join(folder, 'gateway.log');
  writeFileSync(config, catalog(simulatorUrl));
  const env = {
    PORT: '0',
    // One process of each makes the figures comparable between machines.
    GATEWAY_WORKERS: '1',
    GATEWAY_FRONTS: '1',
    GATEWAY_DATA: join(folder, 'data'),
    GATEWAY_CONFIG: config,
    GATEWAY_READY_FILE: readyFile,
    GATEWAY_DRAIN: '1s',
    LOG_LEVEL: 'info',
    ...more,
  };
  const launcher = new Child('deploy/launcher/src/main.ts', env, openSync(log, 'w'));
  const stop = async () => {
    await launcher[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const { baseUrl: url, token, processes } = await ready(launcher, readyFile, signal);
    const pids = Object.fromEntries(processes.map(({ name, pid }) => [name, pid]));
    return {
      url,
      token,
      pids: { launcher: launcher.pid, ...pids },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    const lines = readFileSync(log, 'utf8').slice(-2_000);
    await stop();
    if (signal.aborted) throw error;
    throw new Error(`the gateway did not start: ${error}\n${lines}`);
  }
}

async function ready(launcher: Child, file: string, signal: AbortSignal): Promise<ReadyFile> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(upMs)]);
  const written = async () => {
    while (!existsSync(file)) await pause(50, undefined, { signal: limit });
  };
  await Promise.race([written(), launcher.ended()]);
  return JSON.parse(readFileSync(file, 'utf8'));
}

function catalog(simulatorUrl: string): string {
  return `providers:
  - { name: simulator, kind: openai-compatible, baseUrl: "${simulatorUrl}/v1" }
  - { name: messages, kind: anthropic, baseUrl: "${simulatorUrl}", apiKey: { value: any } }
models:
  - { name: "sim-*", targets: [ { provider: simulator, model: "sim-*" } ] }
  - { name: "messages/sim-*", targets: [ { provider: messages, model: "sim-*" } ] }
`;
}
