import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { validate, whyNoKubeconform } from './kubeconform.ts';
import {
  chart,
  helm,
  type KubernetesObject,
  objectsIn,
  podsIn,
  render,
  renderText,
  trial,
  whyNoHelm,
} from './render.ts';
import { unrestricted } from './restricted.ts';
import { matrix } from './values.ts';

const name = 'the chart';
const each = Object.entries(matrix);

/** An amount of CPU in thousandths of a core. */
const thousandths = (cpu: string) => (cpu.endsWith('m') ? Number.parseInt(cpu, 10) : Number(cpu) * 1_000);
/** An amount of memory in MiB. */
const mebibytes = (memory: string) => Number.parseInt(memory, 10) * (memory.endsWith('Gi') ? 1_024 : 1);

const kubernetes = process.env.KUBECONFIG
  ? spawnSync('kubectl', ['version', '--request-timeout=5s'], { stdio: 'ignore' }).status === 0
  : false;

function find(objects: KubernetesObject[], kind: string, component: string): KubernetesObject {
  const found = objects.find(object => object.kind === kind && object.metadata.name === `mg-${component}`);
  if (!found) throw new Error(`there is no ${kind} mg-${component}`);
  return found;
}

function environment(objects: KubernetesObject[], component: string): Record<string, unknown> {
  const { containers } = find(objects, 'Deployment', component).spec.template.spec;
  return Object.fromEntries(
    containers[0].env.map((entry: { name: string; value?: string; valueFrom?: object }) => [
      entry.name,
      entry.value ?? entry.valueFrom,
    ]),
  );
}

describe.skipIf(whyNoHelm)(whyNoHelm ? `${name} (skipped: ${whyNoHelm})` : name, () => {
  test('the chart passes helm lint', () => {
    const args = ['lint', '--strict', chart, '--set', 'postgres.enabled=true'];
    const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  test.each(each)('the chart with %s renders completely, with restricted pods only', async (_, values) => {
    const objects = await render(values);
    const keys = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(keys).toEqual([...new Set(keys)]);
    expect(objects.filter(({ metadata }) => metadata.namespace !== 'test')).toEqual([]);
    expect(podsIn(objects).flatMap(unrestricted)).toEqual([]);
    for (const { spec } of podsIn(objects))
      for (const { env = [] } of spec.containers) {
        const names = env.map((entry: { name: string }) => entry.name);
        expect(names).toEqual([...new Set(names)]);
      }
  });

  // kubeconform reads the schemas again at each start.
  const conforms = 'the chart with each set of values conforms to the schemas of Kubernetes';
  test.skipIf(whyNoKubeconform)(
    whyNoKubeconform ? `${conforms} (skipped: ${whyNoKubeconform})` : conforms,
    async () => {
      const release = (name: string) => name.toLowerCase().replaceAll(' ', '-');
      const texts = await Promise.all(each.map(([name, values]) => renderText(values, release(name))));
      expect(validate(texts.join('\n---\n'))).toMatch(/ Valid: \d{3,}, Invalid: 0, Errors: 0/);
    },
  );

  const accepts = 'a cluster accepts the chart with %s';
  test.skipIf(!kubernetes).each(each)(
    kubernetes ? accepts : `${accepts} (skipped: KUBECONFIG names no cluster that answers)`,
    async (_, values) => {
      // A cluster without the Gateway API, KEDA or the Prometheus operator does not know their objects.
      const text = (await renderText(values)).replaceAll('namespace: test', 'namespace: default');
      const known = objectsIn(text).filter(({ kind }) => kind !== 'HTTPRoute');
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: known });
      const apply = ['apply', '--dry-run=server', '-f', '-'];
      const { stderr, status } = spawnSync('kubectl', apply, { input: list, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    },
  );

  test('a trial requests less than 1.5 cores, and less memory than a node of 6 GiB has', async () => {
    const pods = podsIn(await render(trial));
    const sum = (read: (requests: { cpu: string; memory: string }) => number) =>
      pods.reduce(
        (all, { replicas, spec }) => all + replicas * read(spec.containers[0].resources.requests),
        0,
      );
    expect(sum(({ cpu }) => thousandths(cpu))).toBeLessThan(1_500);
    // A node reserves some of its memory.
    expect(sum(({ memory }) => mebibytes(memory))).toBeLessThan(5_000);
  });

  test('the grace period of a pod is longer than its preStop and drain time together', async () => {
    const objects = await render({ ...trial, drain: '5m', dnsDelay: '10s' });
    const pod = find(objects, 'Deployment', 'ingress-chat').spec.template.spec;
    expect(pod.containers[0].lifecycle.preStop.sleep.seconds).toBe(15);
    expect(pod.terminationGracePeriodSeconds).toBe(15 + 300 + 10);
    expect(environment(objects, 'ingress-chat').GATEWAY_DRAIN).toBe('5m');
    expect(environment(objects, 'edge').GATEWAY_DRAIN).toBe('5m');
  });

  test('the chart sets no number of replicas where an autoscaler does', async () => {
    const objects = await render(matrix['KEDA and autoscalers'] as object);
    for (const component of ['edge', 'ingress-chat', 'control', 'worker-default', 'worker-gpu'])
      expect(find(objects, 'Deployment', component).spec).not.toHaveProperty('replicas');
    expect(find(objects, 'Deployment', 'realtime').spec.replicas).toBe(2);
    expect(find(objects, 'ScaledObject', 'worker-default').spec.triggers).toEqual([
      {
        type: 'metrics-api',
        metricType: 'AverageValue',
        metadata: {
          url: 'http://mg-control.test.svc.cluster.local:9090/pools/default',
          valueLocation: 'callsInFlight',
          targetValue: '500',
        },
      },
      { type: 'cpu', metricType: 'AverageValue', metadata: { value: '700m' } },
    ]);
    expect(find(objects, 'HorizontalPodAutoscaler', 'worker-gpu').spec.metrics).toEqual([
      {
        type: 'External',
        external: {
          metric: {
            name: 'gateway_pool_calls_in_flight',
            selector: { matchLabels: { pool: 'House_GPU' } },
          },
          target: { type: 'AverageValue', averageValue: '8' },
        },
      },
    ]);
    expect(find(objects, 'HorizontalPodAutoscaler', 'ingress-chat').spec.maxReplicas).toBe(32);
  });

  test('the autoscaler of a pool has the name of the pool', async () => {
    const autoscaling = { maxReplicas: 2, callsInFlight: 9, with: 'external-metric' };
    const objects = await render({ ...trial, workers: [{ name: 'a', pool: '12', autoscaling }] });
    const [metric] = find(objects, 'HorizontalPodAutoscaler', 'worker-a').spec.metrics;
    expect(metric.external.metric.selector.matchLabels).toEqual({ pool: '12' });
  });

  test('NATS servers are replaced if their number or their store changes', async () => {
    const pod = async (nats: object) =>
      JSON.stringify(find(await render({ ...trial, nats }), 'StatefulSet', 'nats').spec.template.metadata);
    const [three, one, larger] = [await pod({}), await pod({ replicas: 1 }), await pod({ storage: '20Gi' })];
    expect(new Set([three, one, larger]).size).toBe(3);
    expect(await pod({ outside: { pools: ['eu'] } })).toBe(three);
  });

  test("control gets the database's certificate authority", async () => {
    const objects = await render(matrix['a database by its URL'] as object);
    expect(environment(objects, 'control').NODE_EXTRA_CA_CERTS).toBe('/gateway/database-ca/ca.crt');
    const { volumes } = find(objects, 'Deployment', 'control').spec.template.spec;
    expect(volumes).toContainEqual({ name: 'database-ca', secret: { secretName: 'database-ca' } });
  });

  test('control gets only the hash of the first token', async () => {
    const objects = await render(trial);
    const { data } = find(objects, 'Secret', 'token') as unknown as { data: Record<string, string> };
    const [token, sha256] = ['token', 'sha256'].map(key => atob(data[key] as string)) as [string, string];
    expect(token).toMatch(/^sk-\w{43}$/);
    expect(sha256).toBe(createHash('sha256').update(token).digest('hex'));
    const readers = objects.filter(object => JSON.stringify(object).includes('"mg-token"'));
    expect(readers.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Secret mg-token',
      'Deployment mg-control',
      'Pod mg-test',
    ]);
    expect(environment(objects, 'control').GATEWAY_FIRST_TOKEN_SHA256).toEqual({
      secretKeyRef: { name: 'mg-token', key: 'sha256' },
    });
  });

  test('the chart creates no Secret if existing ones are named', async () => {
    const text = await renderText(matrix['Secrets of their own'] as object);
    expect(objectsIn(text).filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(text).not.toContain('mg-keys');
    expect(environment(objectsIn(text), 'worker-default')).toMatchObject({
      NATS_PASSWORD: { secretKeyRef: { name: 'my-gateway-bus', key: 'worker-default' } },
      GATEWAY_POOL_KEY: { secretKeyRef: { name: 'my-gateway-pool-keys', key: 'default' } },
    });
  });

  test('control has the keys of all pools, its workers that of their own, and nobody else the master key', async () => {
    const objects = await render(matrix['several pools'] as object);
    const { data } = find(objects, 'Secret', 'pool-keys') as unknown as { data: Record<string, string> };
    expect(Object.keys(data)).toEqual(['default', 'gpu']);
    const keys = Object.values(data).map(key => Buffer.from(atob(key), 'base64'));
    expect(keys.map(({ length }) => length)).toEqual([32, 32]);
    expect(keys[0]).not.toEqual(keys[1]);
    expect(environment(objects, 'worker-gpu-spot').GATEWAY_POOL_KEY).toEqual({
      secretKeyRef: { name: 'mg-pool-keys', key: 'gpu' },
    });
    expect(environment(objects, 'control').GATEWAY_POOL_KEYS).toBe('/gateway/pool-keys');
    const { volumes } = find(objects, 'Deployment', 'control').spec.template.spec;
    expect(volumes).toContainEqual({ name: 'pool-keys', secret: { secretName: 'mg-pool-keys' } });
    const readers = objects.filter(object => JSON.stringify(object).includes('"master-key"'));
    expect(readers.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Secret mg-keys',
      'Deployment mg-control',
    ]);
  });

  test('each service and each pool has its own NATS user', async () => {
    const objects = await render(matrix['several pools'] as object);
    const servers = [0, 1, 2].map(i => `mg-nats-${i}.mg-nats.test.svc.cluster.local:4222`);
    const url = (user: string) =>
      `nats://${user}:$(NATS_PASSWORD)@${servers[0]},nats://${servers[1]},nats://${servers[2]}`;
    expect(environment(objects, 'ingress-chat').NATS_URL).toBe(url('ingress-chat'));
    expect(environment(objects, 'worker-gpu-spot')).toMatchObject({
      NATS_URL: url('worker-gpu'),
      GATEWAY_POOL: 'gpu',
    });
    for (const component of ['simulator', 'console', 'edge'])
      expect(Object.keys(environment(objects, component))).not.toContain('NATS_URL');
    const users = Object.keys(find(objects, 'ConfigMap', 'nats').data).filter(key => key.includes('worker'));
    expect(users).toEqual(['permissions.worker-default', 'permissions.worker-gpu']);
  });

  test('the edge routes to every service, or to the one that contains all of them', async () => {
    const hosts = async (values: object) =>
      Object.entries(environment(await render(values), 'edge'))
        .filter(([key]) => key.startsWith('GATEWAY_BACKEND_'))
        .map(([, value]) => String(value).replace('.test.svc.cluster.local:8080', ''));
    expect((await hosts(trial)).toSorted()).toEqual(
      [
        ...[
          'audio',
          'chat',
          'embeddings',
          'generate-content',
          'images',
          'messages',
          'models',
          'responses',
        ].map(format => `mg-ingress-${format}`),
        'mg-console',
        'mg-control',
        'mg-realtime',
      ].toSorted(),
    );
    const combined = await hosts({ ...trial, ingress: { combined: true } });
    expect([...new Set(combined)].toSorted()).toEqual(['mg-control', 'mg-ingress']);
  });
});
