import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fleet } from '../fleet/fleet.ts';
import { OtlpReceiver, served, treeOf } from '../fleet/otlp-receiver.ts';
import {
  type Collector,
  collectorFile,
  collectorProgram,
  startCollector,
  startStore,
  whyNoCollector,
} from './collector.ts';

/** A text of prompts, and a secret of the provider, neither of which a trace may hold. */
const prompt = 'PAPAGENA knits';
const secret = 'sk-monostatos-0123456789';

let received: OtlpReceiver | undefined;
let fleet: Fleet | undefined;
const collectors: Collector[] = [];

const name = "traces at a real collector with the Compose profile's file";
const run = describe.skipIf(whyNoCollector);

run(whyNoCollector ? `${name} (skipped: ${whyNoCollector})` : name, () => {
  // The first run builds the collector.
  beforeAll(async () => {
    collectorProgram();
    received = await OtlpReceiver.start();
    const { store, address } = await startStore(received.url);
    collectors.push(store);
    const { collector, url } = await startCollector(address);
    collectors.push(collector);
    fleet = await Fleet.start({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '100' },
      catalog: simulator => `providers:
  - { name: sim, kind: openai-compatible, baseUrl: "${simulator}/v1", apiKey: { value: ${secret} } }
models:
  - { name: twice, targets: [ { provider: sim, model: fault-500 }, { provider: sim, model: sim-t5 } ] }
`,
    });
  }, 1_200_000);
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await Promise.all(collectors.map(each => each[Symbol.asyncDispose]()));
    received?.stop();
  });

  test('the file is valid', () => {
    const { status, stderr } = spawnSync(collectorProgram(), ['validate', '--config', collectorFile], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test('a streamed request that failed over is one connected trace in the store', async () => {
    const response = await fetch(`${fleet?.fronts[0]?.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fleet?.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'twice', messages: [{ role: 'user', content: prompt }], stream: true }),
    });
    expect(await response.text()).toContain('[DONE]');
    const spans = (await received?.request(response.headers.get('x-request-id'), 9)) ?? [];
    expect(treeOf(spans, '')).toEqual([
      { 'POST /v1/chat/completions': { 'chat fault-500': served, 'chat sim-t5': served } },
    ]);
    expect(new Set(spans.map(({ service }) => service))).toEqual(
      new Set(['model-gateway-front', 'model-gateway-worker']),
    );
    expect(spans.find(span => span.name === 'chat sim-t5')?.attributes).toMatchObject({
      'gen_ai.usage.output_tokens': 5,
      'gateway.attempt.cause': 'failover',
      'gateway.attempt.outcome': 'answered',
    });
    for (const text of ['PAPAGENA', secret, String(fleet?.token)]) expect(received?.raw).not.toContain(text);
  });
});
