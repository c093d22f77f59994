import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { type Found, findPython, runChecks } from './python.ts';

const upstreams = ['openai', 'gemini'];

let found: Found;
let gateway: Simulated;

beforeAll(async () => {
  found = await findPython();
  if ('missing' in found) return;
  gateway = await startSimulated(
    url => ({
      providers: [
        { name: 'openai', kind: 'openai-compatible', baseUrl: `${url}/v1` },
        { name: 'gemini', kind: 'gemini', baseUrl: url, apiKey: { value: 'key' } },
      ],
      models: upstreams.map(provider => ({
        name: `${provider}/sim-fast`,
        targets: [{ provider, model: 'sim-fast' }],
      })),
    }),
    { described: true },
  );
}, 480_000);
afterAll(() => gateway?.stop());

test("OpenAI's Python client generates images with an upstream of each format", async context => {
  const checked = () => ({ ...gateway.stack, upstreams });
  expect(await runChecks(context, found, 'openai-images', checked)).toBe(6 * upstreams.length);
});
