import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogTestResult, ModelInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { runGateway } from '../../services/control/src/testing/run-gateway.ts';
import { ask } from './clients.ts';
import { Fleet, type FleetProcess } from './fleet.ts';

const noModels = (url: string) =>
  `providers: [ { name: sim, kind: ollama, baseUrl: "${url}" } ]\nmodels: []\n`;

/** Asks a model until the answer has this status. A change of the catalog reaches a front within a second. */
async function expectStatus(fleet: Fleet, model: string, status: number): Promise<unknown> {
  const [front] = fleet.fronts as [FleetProcess];
  let body: unknown;
  const statusOf = async () => {
    const response = await ask(front.url, fleet.token, { model });
    body = await response.json();
    return response.status;
  };
  await expect.poll(statusOf, { interval: 20 }).toBe(status);
  return body;
}

/** Asks a model until this upstream model answers. */
async function expectModel(fleet: Fleet, model: string, upstreamModel: string): Promise<void> {
  const [front] = fleet.fronts as [FleetProcess];
  const answer = async () => {
    const response = await ask(front.url, fleet.token, { model });
    return { status: response.status, body: await response.json() };
  };
  await expect.poll(answer, { interval: 20 }).toMatchObject({ status: 200, body: { model: upstreamModel } });
}

async function change(fleet: Fleet, method: string, path: string, body?: unknown): Promise<void> {
  const answer = await fleet.admin(method, path, body);
  expect(answer).toMatchObject({ status: method === 'DELETE' ? 204 : 200 });
}

/** Makes a provider and a model by the API, asks the model, and restarts what serves it. */
async function serveByApi(fleet: Fleet): Promise<void> {
  const provider = {
    kind: 'openai-compatible',
    baseUrl: `${fleet.simulator.url}/v1`,
    apiKey: { value: 'k' },
  };
  await change(fleet, 'PUT', '/providers/made', provider);
  await change(fleet, 'PUT', '/models/made', { targets: [{ provider: 'made', model: 'sim-t1' }] });
  await expectModel(fleet, 'made', 'sim-t1');
  await change(fleet, 'PUT', '/models/made', { targets: [{ provider: 'made', model: 'sim-t2' }] });
  await expectModel(fleet, 'made', 'sim-t2');
}

async function restartAll(fleet: Fleet): Promise<void> {
  for (const each of [fleet.control, ...fleet.workers, ...fleet.fronts.splice(0)]) await each.stop();
  await fleet.startControl();
  await fleet.startWorker();
  await fleet.startFront();
}

test('a provider and a model of the API serve requests, outlive restarts, and end when they are deleted', async () => {
  await using fleet = await Fleet.start({ catalog: noModels });
  await expectStatus(fleet, 'made', 404);
  await serveByApi(fleet);
  await restartAll(fleet);
  await expectModel(fleet, 'made', 'sim-t2');
  await change(fleet, 'DELETE', '/models/made');
  expect(await expectStatus(fleet, 'made', 404)).toMatchObject({ error: { code: 'model_not_found' } });
  await change(fleet, 'DELETE', '/providers/made');
});

test('a test by a worker says whether a target answers, and why not', async () => {
  await using fleet = await Fleet.start({ catalog: noModels });
  const { url } = fleet.simulator;
  const openai = { kind: 'openai-compatible', baseUrl: `${url}/v1` };
  await change(fleet, 'PUT', '/providers/works', openai);
  await change(fleet, 'PUT', '/providers/away', { ...openai, baseUrl: 'http://127.0.0.1:9/v1' });
  await change(fleet, 'PUT', '/providers/far', { ...openai, pool: 'far' });
  await change(fleet, 'PUT', '/providers/embeds', { kind: 'tei', baseUrl: url });
  const targets = ['works', 'away', 'far', 'gone'].map(provider => ({ provider, model: 'sim-t1' }));
  await change(fleet, 'PUT', '/models/several', { targets: targets.slice(0, 3) });
  await change(fleet, 'PUT', '/models/any-*', { targets: [{ provider: 'works', model: '*' }] });
  const resultsOf = async (path: string, body: object = {}) => {
    const { status, body: answer } = await fleet.admin('POST', `${path}/test`, body);
    if (status !== 200) return answer;
    return (answer as CatalogTestResult).data.map(({ model, works, error }) => [
      model,
      works,
      error?.message,
    ]);
  };
  expect(await resultsOf('/models/several')).toEqual([
    ['sim-t1', true, undefined],
    ['sim-t1', false, 'The upstream could not be reached.'],
    ['sim-t1', false, expect.stringContaining("No worker of the pool 'far' ")],
  ]);
  expect(await resultsOf('/models/any-*', { model: 'any-sim-t2' })).toEqual([['sim-t2', true, undefined]]);
  expect(await resultsOf('/models/any-*')).toMatchObject({ errors: [{ path: 'model' }] });
  expect(await resultsOf('/providers/works')).toEqual([['sim-t1', true, undefined]]);
  expect(await resultsOf('/providers/works', { model: 'fault-401' })).toEqual([
    ['fault-401', false, expect.any(String)],
  ]);
  expect(await resultsOf('/providers/embeds')).toMatchObject({ errors: [{ path: 'model' }] });
  expect(await resultsOf('/providers/nobody')).toMatchObject({ code: 'provider_not_found' });
  const { code, out } = await runGateway(['doctor', '--providers'], {
    ...{ GATEWAY_URL: fleet.control.url, GATEWAY_ADMIN_TOKEN: fleet.adminToken },
  });
  expect(code).toBe(1);
  expect(out).toMatch(/^✓ provider test +works answers as sim-t1 in \d+ ms$/m);
  expect(out).toMatch(
    /^✗ provider test +away does not answer as sim-t1: The upstream could not be reached\.$/m,
  );
  expect(out).toMatch(/^! provider test +embeds was not tested: model: is required/m);
});

test('a model of the API serves by its other targets once a provider has left gateway.yaml', async () => {
  await using fleet = await Fleet.start({ catalog: noModels });
  const provider = { kind: 'openai-compatible', baseUrl: `${fleet.simulator.url}/v1` };
  await change(fleet, 'PUT', '/providers/made', provider);
  const targets = [
    { provider: 'sim', model: 'sim-t1' },
    { provider: 'made', model: 'sim-t2' },
  ];
  await change(fleet, 'PUT', '/models/made', { targets });
  await expectStatus(fleet, 'made', 200);
  writeFileSync(join(fleet.folder, 'gateway.yaml'), 'providers: []\nmodels: []\n');
  const problems = async () => ((await fleet.admin('GET', '/models/made')).body as ModelInfo).problems;
  await expect.poll(problems).toEqual(['targets[0].provider: "sim" is not the name of a provider']);
  await expectModel(fleet, 'made', 'sim-t2');
  const warning = 'entries of the API do not fit the catalog file';
  await expect.poll(() => fleet.control.log).toContain(warning);
});
