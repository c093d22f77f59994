import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type End, home, Policies } from './policies.ts';
import { type KubernetesObject, podsIn, render, trial, whyNoHelm } from './render.ts';
import { matrix } from './values.ts';

const name = 'the network policies';

/** Every port of every pod of the chart, and port 443 outside the cluster. */
const ports = [443, 4222, 5432, 6222, 8080, 8222, 9090];

/**
 * Peers that are not pods of the chart: other pods of its namespace, of other namespaces, and outside the
 * cluster.
 */
const others: End[] = [
  { name: 'another pod', labels: { app: 'other' }, namespace: home, address: '10.0.0.1' },
  {
    name: 'monitoring',
    labels: { app: 'prometheus' },
    namespace: { 'kubernetes.io/metadata.name': 'monitoring' },
    address: '10.0.0.2',
  },
  {
    name: 'keda',
    labels: { app: 'keda' },
    namespace: { 'kubernetes.io/metadata.name': 'keda' },
    address: '10.0.0.3',
  },
  { name: 'the internet', address: '203.0.113.7' },
];

/** The table of docs/kubernetes.md under the heading, as `from → to:port` for every pair that it allows. */
function documented(components: string[]): string[] {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/kubernetes.md'), 'utf8');
  const section = page.split(/^## /m).find(text => text.startsWith('Who may talk to whom')) ?? '';
  const rows = [...section.matchAll(/^\| *([^|]+?) *\| *([^|]+?) *\| *(any|[\d, ]+?) *\|$/gm)];
  const everyone = [...components, ...others.map(other => other.name)];
  const who = (cell: string) =>
    cell.split(', ').flatMap(text => {
      const pattern = text.replaceAll('`', '');
      if (pattern === 'clients') return [...others.map(other => other.name), 'test'];
      if (pattern === 'every pod of the gateway')
        return components.filter(each => !['nats', 'postgres', 'test'].includes(each));
      const found = everyone.filter(each =>
        pattern.endsWith('-*') ? each.startsWith(pattern.slice(0, -1)) : each === pattern,
      );
      if (found.length === 0) throw new Error(`the table names '${pattern}', which is nobody`);
      return found;
    });
  return rows.flatMap(([, from = '', to = '', at = '']) =>
    who(from).flatMap(one =>
      who(to).flatMap(other =>
        (at === 'any' ? ports : at.split(', ')).map(port => `${one} → ${other}:${port}`),
      ),
    ),
  );
}

function endsOf(objects: KubernetesObject[]): End[] {
  const pods = podsIn(objects).map(({ component, labels }, i) => ({
    name: component,
    labels,
    namespace: home,
    address: `10.1.0.${i + 1}`,
  }));
  return [...pods, ...others];
}

/** Every pair whose connection the policies allow, except between outside peers. */
function allowed(objects: KubernetesObject[], ends: End[]): string[] {
  const policies = new Policies(objects);
  return ends.flatMap(from =>
    ends.flatMap(to =>
      others.includes(from) && others.includes(to)
        ? []
        : ports
            .filter(port => policies.allow(from, to, port))
            .map(port => `${from.name} → ${to.name}:${port}`),
    ),
  );
}

describe.skipIf(whyNoHelm)(whyNoHelm ? `${name} (skipped: ${whyNoHelm})` : name, () => {
  let objects: KubernetesObject[];
  let table: string[];

  beforeAll(async () => {
    // Values with which every row of the table exists: a database in the chart, and a pool scaled by KEDA.
    const autoscaling = { minReplicas: 1, maxReplicas: 2, callsInFlight: 9, with: 'keda' };
    objects = await render({ ...trial, workers: [{ name: 'default', autoscaling }, { name: 'gpu' }] });
    table = documented(podsIn(objects).map(({ component }) => component)).toSorted();
  });

  test('the policies allow what the table of docs/kubernetes.md allows, for every pair of pods and port', () => {
    expect(allowed(objects, endsOf(objects)).toSorted()).toEqual(table);
  });

  test('control reaches the internet if users sign in by an OpenID provider', async () => {
    const env = { GATEWAY_OIDC_ISSUER: 'https://id.example' };
    const more = await render({ ...trial, control: { env } });
    const ofControl = (all: KubernetesObject[]) =>
      allowed(all, endsOf(all)).filter(pair => pair.startsWith('control → the internet'));
    expect(ofControl(objects)).toEqual([]);
    expect(ofControl(more)).toEqual(ports.map(port => `control → the internet:${port}`));
  });

  test('every policy changes what is allowed', () => {
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies.length).toBe(podsIn(objects).length);
    for (const removed of policies) {
      const found = allowed(
        objects.filter(object => object !== removed),
        endsOf(objects),
      );
      expect([removed.metadata.name, found.toSorted()]).not.toEqual([removed.metadata.name, table]);
    }
  });

  test('simulator and console can reach no other pod', () => {
    const from = allowed(objects, endsOf(objects)).filter(text => /^(simulator|console) /.test(text));
    expect(from).toEqual([]);
  });

  test('control accepts KEDA only if a pool is scaled by it', async () => {
    const without = await render(trial);
    const keda = allowed(without, endsOf(without)).filter(text => text.startsWith('keda '));
    expect(keda).toEqual(['keda → edge:8080']);
    const autoscaling = { maxReplicas: 2, callsInFlight: 9, with: 'keda' };
    const byDefault = await render({ ...trial, workerDefaults: { autoscaling } });
    expect(allowed(byDefault, endsOf(byDefault))).toContain('keda → control:9090');
  });

  test('the pod of helm test reaches the edge if its clients are restricted', async () => {
    const clients = [{ ipBlock: { cidr: '203.0.113.0/24' } }];
    const named = await render({ ...trial, networkPolicy: { clients } });
    const in_ = allowed(named, endsOf(named)).filter(text => text.endsWith('→ edge:8080'));
    expect(in_).toEqual(['test → edge:8080', 'the internet → edge:8080']);
  });

  test('an engine is reached at the port of its URL', async () => {
    const values = {
      database: { url: 'postgres://me:a%40b@db.example:25060/gateway?sslmode=require' },
      nats: { enabled: false, external: { url: 'nats://a:4333,nats://b:4333', existingSecret: 's' } },
    };
    const policy = (await render(values)).find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'mg-control',
    );
    const at = JSON.stringify(policy?.spec.egress);
    for (const port of [5432, 25060, 4222, 4333]) expect(at).toContain(`"port":${port},`);
  });

  test('a gateway without workers of its release has a policy for its simulator', async () => {
    const without = await render({ ...trial, workers: [] });
    expect(allowed(without, endsOf(without)).filter(text => / → simulator:8080$/.test(text))).toEqual([]);
  });

  test('a combined ingress has the policies of the separate ones', async () => {
    const combined = await render(matrix['one ingress for all'] as object);
    const found = allowed(combined, endsOf(combined)).filter(text => /ingress/.test(text));
    expect(found.toSorted()).toEqual([
      'edge → ingress:8080',
      'edge → ingress:9090',
      'ingress → nats:4222',
      'monitoring → ingress:9090',
    ]);
  });

  test('workers reach the addresses in the values, besides the internet', async () => {
    const several = await render(matrix['several pools'] as object);
    const model = { name: 'vllm', labels: { app: 'vllm' }, namespace: home, address: '10.0.0.9' };
    const policies = new Policies(several);
    const [gpu, standard] = ['worker-gpu', 'worker-default'].map(component =>
      endsOf(several).find(end => end.name === component),
    ) as [End, End];
    expect([policies.allow(gpu, model, 8000), policies.allow(standard, model, 8000)]).toEqual([true, false]);
  });
});
