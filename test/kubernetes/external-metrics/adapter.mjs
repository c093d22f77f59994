// The external metrics API of one metric, `gateway_pool_calls_in_flight`: the sum of what a pool's workers say of
// themselves. It stands in a pod for an adapter such as that of Prometheus. Plain JavaScript, with nothing installed.
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const { WORKERS, POOL, TLS_FOLDER } = process.env;
const group = '/apis/external.metrics.k8s.io/v1beta1';
const metric = 'gateway_pool_calls_in_flight';

/** Asks each worker behind the headless Service. */
async function callsInFlight() {
  const workers = await lookup(WORKERS, { all: true, family: 4 });
  const calls = await Promise.all(
    workers.map(async ({ address }) => {
      const response = await fetch(`http://${address}:9090/metrics`, { signal: AbortSignal.timeout(2_000) });
      return Number(/^gateway_calls_running (\d+)$/m.exec(await response.text())?.[1]);
    }),
  );
  return calls.reduce((sum, count) => sum + count, 0);
}

function resources() {
  const resource = { name: metric, singularName: '', namespaced: true, kind: 'ExternalMetricValueList' };
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'external.metrics.k8s.io/v1beta1',
    resources: [{ ...resource, verbs: ['get'] }],
  };
}

async function values() {
  const item = { metricName: metric, metricLabels: { pool: POOL }, timestamp: new Date().toISOString() };
  return {
    kind: 'ExternalMetricValueList',
    apiVersion: 'external.metrics.k8s.io/v1beta1',
    metadata: {},
    items: [{ ...item, value: String(await callsInFlight()) }],
  };
}

async function answer(url) {
  if (url.pathname === group) return resources();
  const named = new RegExp(`^${group}/namespaces/[^/]+/${metric}$`).test(url.pathname);
  // The selector that the chart's HorizontalPodAutoscaler names.
  if (named && url.searchParams.get('labelSelector') === `pool=${POOL}`) return values();
  return undefined;
}

const tls = { cert: readFileSync(`${TLS_FOLDER}/tls.crt`), key: readFileSync(`${TLS_FOLDER}/tls.key`) };
const server = createServer(tls, async (request, response) => {
  const send = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  try {
    const body = await answer(new URL(request.url, 'https://adapter'));
    send(body ? 200 : 404, body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 });
  } catch (error) {
    send(500, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 500, message: String(error) });
  }
});
server.listen(6443);
process.on('SIGTERM', () => process.exit(0));
