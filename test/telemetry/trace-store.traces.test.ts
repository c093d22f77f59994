import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fleet } from '../fleet/fleet.ts';
import { served, treeOf } from '../fleet/otlp-receiver.ts';
import {
  type Collector,
  collectorFile,
  collectorProgram,
  startCollector,
  whyNoCollector,
} from './collector.ts';
import { jaegerProgram, type StoredSpan, TraceStore } from './trace-store.ts';

/** A text of prompts, which no trace may hold. */
const prompt = 'PAPAGENA sings';

let store: TraceStore;
let collector: Collector;
let fleet: Fleet;

const name = "traces at a real trace store behind the collector with the Compose profile's file";
const run = describe.skipIf(whyNoCollector);

run(whyNoCollector ? `${name} (skipped: ${whyNoCollector})` : name, () => {
  // The first run builds the collector and the store.
  beforeAll(async () => {
    collectorProgram();
    jaegerProgram();
    store = await TraceStore.start();
    const started = await startCollector(store.address);
    collector = started.collector;
    fleet = await Fleet.start({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: started.url, OTEL_BSP_SCHEDULE_DELAY: '100' },
      catalog: simulator => `providers:
  - { name: sim, kind: openai-compatible, baseUrl: "${simulator}/v1" }
models:
  - { name: twice, targets: [ { provider: sim, model: fault-500 }, { provider: sim, model: sim-t5 } ] }
`,
    });
  }, 3_600_000);
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await collector?.[Symbol.asyncDispose]();
    await store?.[Symbol.asyncDispose]();
  });

  test("the collector's file is valid", () => {
    const { status, stderr } = spawnSync(collectorProgram(), ['validate', '--config', collectorFile], {
      encoding: 'utf8',
    });
    expect([stderr, status]).toEqual(['', 0]);
  });

  test('a streamed request that failed over is found by its id, as one connected trace of both processes', async () => {
    const response = await fetch(`${fleet.fronts[0]?.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fleet.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'twice', messages: [{ role: 'user', content: prompt }], stream: true }),
    });
    expect(await response.text()).toContain('[DONE]');
    const id = response.headers.get('x-request-id');
    let traces: StoredSpan[][] = [];
    const found = async () => {
      traces = await store.find('model-gateway-front', 'gateway.request_id', id);
      return traces.map(spans => spans.length);
    };
    await expect.poll(found, { timeout: 30_000 }).toEqual([9]);
    const [spans = []] = traces;
    expect(treeOf(spans, '')).toEqual([
      { 'POST /v1/chat/completions': { 'chat fault-500': served, 'chat sim-t5': served } },
    ]);
    expect(new Set(spans.map(({ service }) => service))).toEqual(
      new Set(['model-gateway-front', 'model-gateway-worker']),
    );
    expect(spans.find(span => span.name === 'chat fault-500')?.attributes).toMatchObject({
      'gateway.attempt.cause': 'first',
      'gateway.attempt.outcome': 'failed',
      error: true,
    });
    expect(spans.find(span => span.name === 'chat sim-t5')?.attributes).toMatchObject({
      'gen_ai.usage.output_tokens': 5,
      'gateway.attempt.cause': 'failover',
    });
    expect(JSON.stringify(spans)).not.toContain('PAPAGENA');
  });
});
