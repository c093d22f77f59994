import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOwnNats } from '@model-gateway/bus/testing';
import { afterEach, expect, test } from 'vitest';
import { listModels } from './ask.ts';
import { cleanUp, Launched, newFolder } from './launched.ts';

afterEach(cleanUp);

function catalog(text: string): string {
  const path = join(newFolder(), 'gateway.yaml');
  writeFileSync(path, text);
  return path;
}

test('GATEWAY_CONFIG replaces the whole catalog, and NATS_URL the bus', async () => {
  const nats = await startOwnNats();
  const GATEWAY_CONFIG = catalog(`
providers:
  - { name: house, kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" }
models:
  - { name: fast, targets: [ { provider: house, model: m } ] }
`);
  const env = { GATEWAY_CONFIG, NATS_URL: nats.url, OPENAI_API_KEY: 'sk-nothing' };
  try {
    const gateway = new Launched({ env });
    const ready = await gateway.ready();
    expect(await listModels(ready)).toEqual(['fast']);
    expect(ready.natsUrl).toBe(nats.url);
    expect(ready.processes.map(({ name }) => name).sort()).toEqual(['control', 'front', 'worker']);
    gateway.signal('SIGTERM', 'process');
    expect(await gateway.exit()).toBe(0);
    process.kill(nats.pid, 0);
  } finally {
    await nats.stop();
  }
});

test.each([
  [
    'a field that is wrong',
    'providers: []\nmodels: [{ name: m, targets: [{ provider: nobody, model: x }] }]',
    'models[0].targets[0].provider',
  ],
  ['text that is no YAML', 'providers: [', 'gateway.yaml'],
])('%s in GATEWAY_CONFIG ends the launcher with 1, the path and the reason', async (_, text, path) => {
  const gateway = new Launched({ env: { GATEWAY_CONFIG: catalog(text) } });
  expect(await gateway.exit()).toBe(1);
  expect(gateway.output).toContain(path);
  expect(gateway.output).toContain('control ended (code 1) before it was up');
  expect(gateway.output).not.toContain('is ready');
});

test.each([
  ['PORT', '80800'],
  ['GATEWAY_DRAIN', 'soon'],
  ['GATEWAY_FRONTS', '0'],
  ['GATEWAY_MASTER_KEY', 'short'],
])('%s=%s ends the launcher with 1 and the name of the setting', async (name, value) => {
  const gateway = new Launched({ env: { [name]: value } });
  expect(await gateway.exit()).toBe(1);
  expect(gateway.output).toMatch(new RegExp(`^npm start: ${name}: `));
});
