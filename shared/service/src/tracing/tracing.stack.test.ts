import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics/index.ts';
import { parseTraceParent } from '../request-headers.ts';
import { readSettings } from '../settings.ts';
import { traceSettingNames } from '../telemetry-settings.ts';
import { isSpan, type Tracing } from './span.ts';
import { openTracing } from './tracing.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const parentOf = (sampled: boolean) => ({ traceparent: `00-${traceId}-${spanId}-0${sampled ? 1 : 0}` });
const metrics = createMetrics();

const opened: Tracing[] = [];
let collector: Server | undefined;
afterEach(async () => {
  await Promise.all(opened.splice(0).map(tracing => tracing.close()));
  collector?.closeAllConnections();
  collector?.close();
  collector = undefined;
});

/** Opens tracing; by default to a port where nothing listens. */
async function open(env: Record<string, string>, registry = createMetrics()): Promise<Tracing> {
  const settings = readSettings(traceSettingNames, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    ...env,
  });
  const parts = { name: 'test', metrics: registry, log: createLog('test', 'silent') };
  const tracing = (await openTracing(settings, parts)) as Tracing;
  opened.push(tracing);
  return tracing;
}

function isSampled(tracing: Tracing, parent?: { traceparent: string }): boolean {
  return isSpan(tracing.begin('x', parent, { kind: 'server' }));
}

/** The number of a thousand requests that are sampled. */
function sampledOf(tracing: Tracing, parent?: { traceparent: string }): number {
  return Array.from({ length: 1_000 }, () => isSampled(tracing, parent)).filter(Boolean).length;
}

test('without a collector there is no tracing', async () => {
  const parts = { name: 'test', metrics, log: createLog('test', 'silent') };
  expect(await openTracing(readSettings(traceSettingNames, {}), parts)).toBeUndefined();
});

test('a span continues the trace of its parent, and tells its own place', async () => {
  const tracing = await open({});
  const headers = { ...parentOf(false), tracestate: 'a=1' };
  const span = tracing.begin('x', headers, { kind: 'server' });
  if (!isSpan(span)) throw new Error('not sampled');
  expect(span.traceId).toBe(traceId);
  const child = span.child('y', { kind: 'client' });
  expect(child.headers).toEqual({ traceparent: `00-${traceId}-${child.spanId}-01`, tracestate: 'a=1' });
  expect(new Set([spanId, span.spanId, child.spanId]).size).toBe(3);
  expect(parseTraceParent(span.headers.traceparent)).toMatchObject({ spanId: span.spanId, sampled: true });
});

test("a client's flag and trace id do not decide on sampling, unless clients are trusted", async () => {
  const half = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' };
  const own = await open(half);
  for (const parent of [parentOf(true), parentOf(false), undefined]) {
    expect(sampledOf(own, parent)).toBeGreaterThan(350);
    expect(sampledOf(own, parent)).toBeLessThan(650);
  }
  const trusting = await open({ ...half, GATEWAY_TRACE_CLIENTS: 'trust' });
  expect(sampledOf(trusting, parentOf(true))).toBe(1_000);
  expect(sampledOf(trusting, parentOf(false))).toBe(0);
});

test.each([
  ['always_off', 0],
  ['parentbased_always_off', 0],
  ['always_on', 1_000],
  ['parentbased_always_on', 1_000],
])('%s samples %i of a thousand', async (sampler, count) => {
  expect(sampledOf(await open({ OTEL_TRACES_SAMPLER: sampler }), parentOf(count === 0))).toBe(count);
});

test('a trace that is not sampled has ids for the log, and is not continued by a worker', async () => {
  const tracing = await open({ OTEL_TRACES_SAMPLER: 'always_off' });
  expect(tracing.begin('x', parentOf(true), { kind: 'server' })).toMatchObject({ traceId, sampled: false });
  expect(tracing.continue('x', parentOf(false), { kind: 'server' })).toBeUndefined();
  expect(tracing.continue('x', undefined, { kind: 'server' })).toBeUndefined();
  expect(tracing.continue('x', parentOf(true), { kind: 'server' })).toMatchObject({ traceId });
});

test('spans beyond the limit are dropped and counted, and the rest is sent at the end', async () => {
  let received = 0;
  collector = createServer((request, response) => {
    request.on('data', data => {
      received += data.length;
    });
    request.on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => collector?.once('listening', resolve));
  const { port } = collector.address() as AddressInfo;
  const registry = createMetrics();
  const tracing = await open(
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/traces`,
      OTEL_BSP_SCHEDULE_DELAY: '60000',
      OTEL_BSP_MAX_QUEUE_SIZE: '3',
    },
    registry,
  );
  const spans = Array.from({ length: 5 }, () => tracing.continue('x', parentOf(true), { kind: 'server' }));
  for (const span of spans) span?.end();
  // A batch is full, and is sent already.
  await tracing.close();
  const byOutcome = async () => {
    const counts = await registry.getSingleMetric('gateway_trace_spans_total')?.get();
    return Object.fromEntries(counts?.values.map(({ labels, value }) => [labels.outcome, value]) ?? []);
  };
  // A process does not wait for long for a collector that answers late.
  await expect.poll(byOutcome).toEqual({ sent: 3, failed: 0, dropped: 2 });
  expect(received).toBeGreaterThan(0);
});

test('a collector that cannot be reached delays the end of a process for a bounded time', async () => {
  const registry = createMetrics();
  const tracing = await open({}, registry);
  tracing.continue('x', parentOf(true), { kind: 'server' })?.end();
  await tracing.close();
});

test('the values of headers are written as in a URL', async () => {
  let headers: NodeJS.Dict<string | string[]> = {};
  collector = createServer((request, response) => {
    headers = request.headers;
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => collector?.once('listening', resolve));
  const { port } = collector.address() as AddressInfo;
  const tracing = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi%3D, x-scope=a=b',
  });
  tracing.continue('x', parentOf(true), { kind: 'server' })?.end();
  await tracing.close();
  await expect.poll(() => headers).toMatchObject({ authorization: 'Basic YTpi=', 'x-scope': 'a=b' });
});
