import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScriptedUpstream } from '../routing/scripted-upstream.ts';
import { ask } from './clients.ts';
import { Fleet, type FleetProcess, untilReady } from './fleet.ts';

const upstreams = [new ScriptedUpstream(), new ScriptedUpstream(), new ScriptedUpstream()] as const;
const [bad] = upstreams;
let fleet: Fleet;

beforeAll(async () => {
  const urls = await Promise.all(upstreams.map(upstream => upstream.url()));
  const providers = urls.map((url, i) => `  - { name: up${i}, kind: openai-compatible, baseUrl: "${url}" }`);
  const targets = urls.map((_, i) => `{ provider: up${i}, model: m, weight: 1 }`);
  const text = `providers:\n${providers.join('\n')}\nmodels:\n  - { name: m, targets: [ ${targets.join(', ')} ] }\n`;
  fleet = await Fleet.start({ catalog: () => text });
  for (let i = 1; i < 3; i++) await untilReady(await fleet.startFront());
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  for (const upstream of upstreams) upstream.close();
});

/** Sends requests one after the other to the fronts in turns; returns the number that each target answered. */
async function askOneByOne(count: number, fronts: readonly FleetProcess[]): Promise<Record<string, number>> {
  const answered: Record<string, number> = {};
  for (let i = 0; i < count; i++) {
    const { url } = fronts[i % fronts.length] as FleetProcess;
    const response = await ask(url, fleet.token, { model: 'm', format: 'chat' });
    expect(response.status, await response.text()).toBe(200);
    const target = response.headers.get('x-gateway-target') ?? '';
    answered[target] = (answered[target] ?? 0) + 1;
  }
  return answered;
}

test('a target that fails rests at every ingress, a new one too, and takes its share once it is back', async () => {
  expect(Object.keys(await askOneByOne(60, fleet.fronts)).toSorted()).toEqual(['up0/m', 'up1/m', 'up2/m']);
  bad.next = () => ({ does: 'fail', status: 500 });
  bad.requests = 0;
  const began = Date.now();
  const answered = await askOneByOne(500, fleet.fronts);
  expect(Object.keys(answered).toSorted()).toEqual(['up1/m', 'up2/m']);
  // Less than three failures at two ingresses, the third one at the last, some that run meanwhile, and a probe every five seconds.
  const probes = Math.ceil((Date.now() - began) / 5_000);
  expect(bad.requests).toBeGreaterThanOrEqual(3);
  expect(bad.requests).toBeLessThanOrEqual(8 + probes);
  const before = bad.requests;
  const late = await fleet.startFront();
  await untilReady(late);
  await askOneByOne(20, [late]);
  // Only a probe: by itself, the ingress would know after three failures.
  expect(bad.requests - before).toBeLessThanOrEqual(1);
  bad.next = () => ({ does: 'answer' });
  const share = async () => (await askOneByOne(30, fleet.fronts))['up0/m'] ?? 0;
  await expect.poll(share, { timeout: 30_000, interval: 500 }).toBeGreaterThanOrEqual(3);
});
