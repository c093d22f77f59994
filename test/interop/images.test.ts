import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { type Found, findPython, runChecks } from './python.ts';

const upstreams = ['openai', 'gemini'];

let found: Found;
let simulator: StartedSimulator | undefined;
let stack: Stack | undefined;

beforeAll(async () => {
  found = await findPython();
  if ('missing' in found) return;
  simulator = await startSimulator();
  stack = await startStack({
    described: true,
    catalog: {
      providers: [
        { name: 'openai', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` },
        { name: 'gemini', kind: 'gemini', baseUrl: simulator.url, apiKey: { value: 'key' } },
      ],
      models: upstreams.map(provider => ({
        name: `${provider}/sim-fast`,
        targets: [{ provider, model: 'sim-fast' }],
      })),
    },
  });
}, 480_000);
afterAll(async () => {
  await stack?.stop();
  await simulator?.close();
});

test("OpenAI's Python client generates images with an upstream of each format", async context => {
  const checked = () => ({ ...(stack as Stack), upstreams });
  expect(await runChecks(context, found, 'openai-images', checked)).toBe(6 * upstreams.length);
});
