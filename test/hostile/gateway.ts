import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cleanUp, Launched, type ReadyFile } from '../launcher/launched.ts';
import type { Probed } from './probe.ts';
import type { Seen } from './victim.ts';

/** The processes whose event loops are measured. */
const watched = ['front', 'worker', 'control'];

/** The figures of every process for one attack. */
export interface Figures {
  victim: Seen;
  /** By the process's name. */
  processes: Record<string, Probed>;
}

/**
 * A gateway as `npm start` runs it, with probes in its processes, an upstream, and a victim that sends
 * requests all the time.
 */
export class AttackedGateway {
  readonly ready: ReadyFile;
  readonly #upstream: ChildProcess;
  readonly #victim: ChildProcess;
  readonly #folder: string;

  private constructor(ready: ReadyFile, upstream: ChildProcess, victim: ChildProcess, folder: string) {
    this.ready = ready;
    this.#upstream = upstream;
    this.#victim = victim;
    this.#folder = folder;
  }

  static async start(): Promise<AttackedGateway> {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-hostile-'));
    const upstream = child('upstream.ts');
    const [port] = (await once(upstream, 'message')) as [number];
    const config = join(folder, 'gateway.yaml');
    writeFileSync(config, catalog(`http://127.0.0.1:${port}`));
    const probe = new URL(`./probe.ts?folder=${encodeURIComponent(folder)}`, import.meta.url).href;
    const launched = new Launched({
      env: {
        GATEWAY_CONFIG: config,
        GATEWAY_RESPONSES_BYTES: '40000000',
        NODE_OPTIONS: `--expose-gc --import ${probe}`,
        LOG_LEVEL: 'warn',
      },
    });
    const ready = await launched.ready();
    const victim = child('victim.ts', ready.baseUrl, await issueToken(ready, 'victim'));
    await once(victim, 'message');
    return new AttackedGateway(ready, upstream, victim, folder);
  }

  /** Every process of the gateway and of these tests. */
  get pids(): number[] {
    const gateway = this.ready.processes.map(({ pid }) => pid);
    return [process.pid, this.#upstream.pid as number, this.#victim.pid as number, ...gateway];
  }

  /** A token with its own project. */
  token(name: string): Promise<string> {
    return issueToken(this.ready, name);
  }

  /** The figures of every process since the last call. */
  async figures(): Promise<Figures> {
    this.#victim.send('figures');
    const [victim] = (await once(this.#victim, 'message')) as [Seen];
    const processes: Figures['processes'] = {};
    for (const { name, pid } of this.ready.processes)
      if (watched.includes(name)) processes[name] = await this.#probe(pid);
    return { victim, processes };
  }

  async stop(): Promise<void> {
    this.#victim.kill();
    await cleanUp();
    this.#upstream.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #probe(pid: number): Promise<Probed> {
    const file = join(this.#folder, `${pid}.json`);
    rmSync(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    const late = Date.now() + 30_000;
    while (!existsSync(file)) {
      if (Date.now() > late) throw new Error(`process ${pid} tells no figures`);
      await pause(20);
    }
    return JSON.parse(readFileSync(file, 'utf8'));
  }
}

function child(file: string, ...args: string[]): ChildProcess {
  return fork(new URL(file, import.meta.url), args, { execArgv: [] });
}

async function issueToken({ baseUrl, adminToken }: ReadyFile, name: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, project: name }),
  });
  const { token } = (await response.json()) as { token: string };
  return token;
}

function catalog(upstream: string): string {
  return `providers:
  - { name: chat, kind: openai-compatible, baseUrl: "${upstream}/v1" }
  - { name: messages, kind: anthropic, baseUrl: "${upstream}", apiKey: { value: any } }
  - { name: gemini, kind: gemini, baseUrl: "${upstream}", apiKey: { value: any } }
  - { name: responses, kind: openai-compatible, api: responses, baseUrl: "${upstream}/v1" }
  - { name: voice, kind: openai, baseUrl: "${upstream}/v1", apiKey: { value: any } }
models:
  - { name: "lies/*", targets: [{ provider: voice, model: "gpt-realtime-*" }] }
  - { name: gemini, targets: [{ provider: gemini, model: gemini }] }
  - { name: claude, targets: [{ provider: messages, model: claude }] }
  - { name: replies, targets: [{ provider: responses, model: replies }] }
  - { name: spliced, targets: [{ provider: messages, model: spliced }] }
  - { name: "to-chat/*", targets: [{ provider: chat, model: "*" }] }
  - { name: "to-messages/*", targets: [{ provider: messages, model: "*" }] }
  - { name: "to-gemini/*", targets: [{ provider: gemini, model: "*" }] }
  - { name: "to-responses/*", targets: [{ provider: responses, model: "*" }] }
  - { name: "fixed/*", targets: [{ provider: chat, model: m }] }
  - { name: "*", targets: [{ provider: chat, model: "*" }] }
projects:
  - { name: logged, logging: { sample: 1, maxBytes: 262144 } }
`;
}
