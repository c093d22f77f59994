import { readFileSync } from 'node:fs';
import { selfSigned } from '@model-gateway/service/testing';
import { until } from '../../until.ts';
import { run } from '../command.ts';
import type { Namespace } from '../namespace.ts';

const apiService = 'v1beta1.external.metrics.k8s.io';
const name = 'external-metrics';
/** Labels of the pod that reads the workers' metrics. */
export const metricsReader = { app: name };
const availableMs = 60_000;

/** Returns the reason why no external metrics API can be registered; undefined if one can. */
export async function whyNoExternalMetrics(): Promise<string | undefined> {
  const found = await run('kubectl', ['get', 'apiservice', apiService, '--ignore-not-found', '-o', 'name']);
  return found.trim() ? 'the cluster has an external metrics API of its own' : undefined;
}

/** An external metrics API with the calls in flight of one pool, from the metrics of its workers. */
export async function registerExternalMetrics(
  namespace: Namespace,
  { image, release, pool }: { image: string; release: string; pool: string },
): Promise<AsyncDisposable> {
  const workers = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `${name}-workers` },
    spec: {
      clusterIP: 'None',
      selector: { 'app.kubernetes.io/instance': release, 'model-gateway/pool': pool },
      ports: [{ name: 'operator', port: 9090 }],
    },
  };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: metricsReader, ports: [{ port: 443, targetPort: 6443 }] },
  };
  await namespace.apply(certificate(), script(), workers, service, pod(image, workers.metadata.name, pool));
  await namespace.kubectl(['wait', `pod/${name}`, '--for=condition=Ready', '--timeout=60s'], {
    timeoutMs: availableMs + 5_000,
  });
  await namespace.apply({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: apiService },
    spec: {
      ...{ group: 'external.metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100 },
      ...{ versionPriority: 100, insecureSkipTLSVerify: true },
      service: { namespace: namespace.name, name, port: 443 },
    },
  });
  await until(
    'The external metrics API answers',
    () => run('kubectl', ['get', '--raw', '/apis/external.metrics.k8s.io/v1beta1']),
    availableMs,
  );
  return {
    async [Symbol.asyncDispose]() {
      await run('kubectl', ['delete', 'apiservice', apiService, '--ignore-not-found']);
      await namespace.kubectl([
        ...['delete', `pod/${name}`, `service/${name}`, `service/${name}-workers`, `secret/${name}`],
        ...[`configmap/${name}`, '--ignore-not-found', '--wait=false'],
      ]);
    },
  };
}

function certificate(): object {
  using files = selfSigned(name);
  const stringData = {
    'tls.crt': readFileSync(files.cert, 'utf8'),
    'tls.key': readFileSync(files.key, 'utf8'),
  };
  return { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: { name }, stringData };
}

function script(): object {
  const text = readFileSync(new URL('adapter.mjs', import.meta.url), 'utf8');
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { 'adapter.mjs': text } };
}

function pod(image: string, workers: string, pool: string): object {
  const env = { WORKERS: workers, POOL: pool, TLS_FOLDER: '/tls' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: metricsReader },
    spec: {
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name,
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['node', '/adapter/adapter.mjs'],
          env: Object.entries(env).map(([name, value]) => ({ name, value })),
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          readinessProbe: { tcpSocket: { port: 6443 }, periodSeconds: 1 },
          resources: { requests: { cpu: '10m', memory: '64Mi' } },
          volumeMounts: [
            { name: 'adapter', mountPath: '/adapter' },
            { name: 'tls', mountPath: '/tls' },
          ],
        },
      ],
      volumes: [
        { name: 'adapter', configMap: { name } },
        { name: 'tls', secret: { secretName: name } },
      ],
    },
  };
}
