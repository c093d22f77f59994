import { run } from './command.ts';

/** The fields of a pod that the tests read. */
export interface Pod {
  metadata: { name: string; uid: string; labels: Record<string, string>; deletionTimestamp?: string };
  spec: { containers: { name: string; image: string }[] };
  status: {
    phase: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { restartCount: number }[];
  };
}

/** The fields of a Deployment that the tests read. */
export interface Deployment {
  metadata: { name: string; generation: number };
  spec: { replicas: number; template: { metadata: { annotations?: Record<string, string> } } };
  status: {
    observedGeneration?: number;
    replicas?: number;
    readyReplicas?: number;
    updatedReplicas?: number;
  };
}

/** Label of a namespace that a test created and may delete. */
const mark = 'model-gateway/test';

/** A namespace of the cluster that enforces the `restricted` Pod Security standard. */
export class Namespace {
  readonly name: string;

  private constructor(name: string) {
    this.name = name;
  }

  /**
   * Creates it, without objects of an earlier run.
   * @throws Error if a namespace of that name was not made by a test
   */
  static async create(name: string): Promise<Namespace> {
    const namespace = new Namespace(name);
    const found = await run('kubectl', ['get', 'namespace', name, '--ignore-not-found', '-o', 'json']);
    if (found.trim()) {
      if (!JSON.parse(found).metadata.labels?.[mark])
        throw new Error(`The namespace ${name} is not a test's; name another in GATEWAY_TEST_NAMESPACE`);
      await namespace.delete();
    }
    const labels = { [mark]: 'true', 'pod-security.kubernetes.io/enforce': 'restricted' };
    await namespace.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    return namespace;
  }

  delete(): Promise<string> {
    return run('kubectl', ['delete', 'namespace', this.name, '--wait', '--timeout=5m'], {
      timeoutMs: 310_000,
    });
  }

  /** Runs kubectl in this namespace. */
  kubectl(args: readonly string[], options?: { input?: string; timeoutMs?: number }): Promise<string> {
    return run('kubectl', ['--namespace', this.name, ...args], options);
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.kubectl([...args, '-o', 'json']));
  }

  apply(...objects: object[]): Promise<string> {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    return this.kubectl(['apply', '--server-side', '-f', '-'], { input });
  }

  /** Pods with all of these labels that are not terminating. */
  async pods(labels: Record<string, string>): Promise<Pod[]> {
    const selector = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    const { items } = await this.json<{ items: Pod[] }>('get', 'pods', '-l', selector.join());
    return items.filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase === 'Running');
  }

  async deployments(): Promise<Deployment[]> {
    return (await this.json<{ items: Deployment[] }>('get', 'deployments')).items;
  }

  /** The metrics of a service's pod, read inside the pod, which every NetworkPolicy allows. */
  metrics(pod: string): Promise<string> {
    const code = `fetch('http://127.0.0.1:9090/metrics').then(r => r.text()).then(t => process.stdout.write(t))`;
    return this.kubectl(['exec', pod, '--', 'node', '-e', code]);
  }

  /**
   * Requests an eviction.
   * @returns false if a PodDisruptionBudget does not allow it now
   */
  async evict(pod: string): Promise<boolean> {
    const metadata = { name: pod, namespace: this.name };
    const input = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata });
    const path = `/api/v1/namespaces/${this.name}/pods/${pod}/eviction`;
    try {
      await run('kubectl', ['create', '--raw', path, '-f', '-'], { input });
      return true;
    } catch (error) {
      if (/TooManyRequests|disruption budget/i.test(String(error))) return false;
      throw error;
    }
  }
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}
