import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@model-gateway/bus/testing';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const name = `model-gateway-test-${process.pid}`;
/** Differs from the network of a gateway that already runs on this machine, and mostly from that of another test run. */
export const network = `192.168.${200 + (process.pid % 50)}`;
/** The maximum of connections from one address in the tests. */
const mostConnections = 60;

/** The gateway of docker-compose.yml with its own project name, images and port. */
export class Project {
  readonly port: number;
  readonly url: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(port: number) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#env = {
      ...clean(),
      PORT: String(port),
      GATEWAY_IMAGE: name,
      GATEWAY_NETWORK: network,
      GATEWAY_ADDRESS_CONNECTIONS: String(mostConnections),
    };
  }

  static async create(): Promise<Project> {
    return new Project(await freePort());
  }

  /**
   * Runs `docker compose` and returns its output.
   * @throws Error with the output, also after `timeout` ms
   */
  async compose(args: string[], timeout = 60_000): Promise<string> {
    const flags = ['compose', '--env-file', '/dev/null', '--project-name', name, '--progress', 'quiet'];
    const { stdout } = await run('docker', [...flags, ...args], {
      cwd: root,
      env: this.#env,
      timeout,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  }

  /** Runs a line of JavaScript in a container and returns its output. */
  node(service: string, code: string, index = 1): Promise<string> {
    return this.compose(['exec', '-T', '--index', String(index), service, 'node', '-e', code]);
  }

  /** Docker's description of each container of a service, or of all. */
  async inspect(...services: string[]): Promise<Container[]> {
    const ids = (await this.compose(['ps', '--all', '--quiet', ...services])).trim().split('\n');
    return JSON.parse((await run('docker', ['inspect', ...ids])).stdout);
  }

  /** Stops a container with SIGTERM, and resolves when it has ended. */
  async stop({ Name }: Container): Promise<void> {
    await run('docker', ['stop', Name.replace(/^\//, '')]);
  }

  /** Suspends the first process of a container for some milliseconds, as on a machine that is too busy to run it. */
  async suspend({ Name }: Container, ms: number): Promise<void> {
    const container = Name.replace(/^\//, '');
    await run('docker', ['kill', '--signal', 'STOP', container]);
    await sleep(ms);
    await run('docker', ['kill', '--signal', 'CONT', container]);
  }

  /** Removes containers, volumes and the built images. */
  async remove(): Promise<void> {
    await this.compose(['down', '--volumes', '--timeout', '10'], 120_000);
    await run('docker', ['image', 'rm', name, `${name}-edge`]).catch(() => {});
  }
}

export interface Container {
  Name: string;
  RestartCount: number;
  State: { Status: string; Health?: { Status: string } };
  Config: { User: string };
  HostConfig: { ReadonlyRootfs: boolean; CapDrop: string[] | null; Memory: number };
}

/** This environment without variables that would change a gateway. */
function clean(): NodeJS.ProcessEnv {
  const foreign = /^(COMPOSE_|GATEWAY_|HOST$|LOG_LEVEL$|(OPENAI|ANTHROPIC|GEMINI)_API_KEY$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !foreign.test(key)));
}
