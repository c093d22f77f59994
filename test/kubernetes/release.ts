import { fileURLToPath } from 'node:url';
import { until } from '../until.ts';
import { run } from './command.ts';
import type { Target } from './load/ask.ts';
import { type Deployment, isReady, type Namespace, type Pod } from './namespace.ts';

const chart = fileURLToPath(new URL('../../deploy/helm/model-gateway', import.meta.url));
const installMs = 600_000;
const settledMs = 180_000;

/** A release of the chart, and the NodePort of its edge. */
export class Release {
  readonly namespace: Namespace;
  readonly name: string;
  readonly #nodeAddress: string | undefined;

  constructor(namespace: Namespace, name: string, nodeAddress?: string) {
    this.namespace = namespace;
    this.name = name;
    this.#nodeAddress = nodeAddress;
  }

  /** Installs or upgrades, and waits until everything is ready and all replaced pods are gone. */
  async apply(values: object): Promise<void> {
    const args = ['upgrade', '--install', this.name, chart, '--values', '-', '--wait', '--timeout', '10m'];
    await this.#helm(args, JSON.stringify(values));
    await this.settled();
  }

  /** Rolls back to a revision, 0 for the previous one, and waits as `apply` does. */
  async rollback(revision = 0): Promise<void> {
    await this.#helm(['rollback', this.name, String(revision), '--wait', '--timeout', '10m']);
    await this.settled();
  }

  /**
   * Runs the chart's tests.
   * @throws Error if one fails
   */
  test(): Promise<string> {
    return this.#helm(['test', this.name, '--timeout', '3m']);
  }

  async uninstall(): Promise<void> {
    await this.#helm(['uninstall', this.name, '--wait', '--timeout', '5m']);
  }

  /** The deployed revision. */
  async revision(): Promise<number> {
    const [last] = JSON.parse(await this.#helm(['history', this.name, '--max', '1', '-o', 'json']));
    return Number(last.revision);
  }

  #helm(args: string[], input?: string): Promise<string> {
    return run('helm', ['--namespace', this.namespace.name, ...args], {
      timeoutMs: installMs,
      ...(input && { input }),
    });
  }

  /** Running pods of one component or of all that are not terminating. */
  pods(component?: string): Promise<Pod[]> {
    return this.namespace.pods({
      'app.kubernetes.io/instance': this.name,
      ...(component && { 'app.kubernetes.io/component': component }),
    });
  }

  /**
   * Waits until every Deployment has exactly its replicas, all ready and of its newest template, and no pod
   * is terminating.
   */
  async settled(): Promise<void> {
    await until(
      'The release settles',
      async () => {
        const deployments = await this.namespace.deployments();
        const unsettled = deployments.filter(each => !isSettled(each)).map(({ metadata }) => metadata.name);
        if (unsettled.length > 0) throw new Error(`not settled: ${unsettled}`);
        const going = await this.namespace.kubectl([
          ...['get', 'pods', '-l', `app.kubernetes.io/instance=${this.name}`, '-o'],
          'jsonpath={range .items[?(@.metadata.deletionTimestamp)]}{.metadata.name} {end}',
        ]);
        if (going.trim()) throw new Error(`on their way out: ${going}`);
        return true;
      },
      settledMs,
    );
  }

  /** Sets the replicas of a component's Deployment, and waits until they are ready. */
  async scale(component: string, replicas: number): Promise<void> {
    await this.namespace.kubectl(['scale', `deployment/${this.name}-${component}`, `--replicas=${replicas}`]);
    await this.ready(component, replicas);
  }

  /** Waits until a component has exactly this number of pods, all ready. */
  ready(component: string, replicas: number, timeoutMs = settledMs): Promise<Pod[]> {
    return until(
      `${replicas} ready pods of ${component}`,
      async () => {
        const pods = await this.pods(component);
        if (pods.length === replicas && pods.every(isReady)) return pods;
        throw new Error(pods.map(pod => `${pod.metadata.name} ready: ${isReady(pod)}`).join());
      },
      timeoutMs,
    );
  }

  /** The address of the gateway for clients, with the first token. */
  async target(): Promise<Target> {
    return {
      url: `http://${await this.#host()}:${await this.#nodePort()}`,
      token: await this.secret('token', 'token'),
    };
  }

  /** Creates a platform token with the command line in control's pod. */
  async createToken(): Promise<string> {
    const [control] = await this.pods('control');
    const create = ['gateway', 'token', 'create', '--name', 'test', '--json'];
    return JSON.parse(await this.namespace.kubectl(['exec', control?.metadata.name ?? '', '--', ...create]))
      .token;
  }

  /** A value of the Secret `<release>-<name>`. */
  async secret(name: string, key: string): Promise<string> {
    const { data } = await this.namespace.json<{ data: Record<string, string> }>(
      ...['get', 'secret', `${this.name}-${name}`],
    );
    if (data[key] === undefined) throw new Error(`The Secret ${this.name}-${name} has no ${key}`);
    return Buffer.from(data[key], 'base64').toString();
  }

  /** The configured address, else that of a node with a pod of the release. */
  async #host(): Promise<string> {
    if (this.#nodeAddress) return this.#nodeAddress;
    const [pod] = await this.pods('edge');
    const path = 'jsonpath={.status.hostIP}';
    const address = await this.namespace.kubectl(['get', 'pod', pod?.metadata.name ?? '', '-o', path]);
    return address.includes(':') ? `[${address}]` : address;
  }

  async #nodePort(): Promise<number> {
    const { spec } = await this.namespace.json<{ spec: { ports: { nodePort?: number }[] } }>(
      ...['get', 'service', `${this.name}-edge`],
    );
    const port = spec.ports.find(({ nodePort }) => nodePort)?.nodePort;
    if (!port) throw new Error(`The Service ${this.name}-edge has no NodePort`);
    return port;
  }
}

function isSettled({ metadata, spec, status }: Deployment): boolean {
  const counts = [status.replicas ?? 0, status.readyReplicas ?? 0, status.updatedReplicas ?? 0];
  return status.observedGeneration === metadata.generation && counts.every(count => count === spec.replicas);
}
