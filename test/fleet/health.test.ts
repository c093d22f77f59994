import type { ServerResponse } from 'node:http';
import type { HealthReport } from '@model-gateway/admin-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedUpstream, startUpstream } from '../faults/upstream.ts';
import { chatAnswer } from './chat-answer.ts';
import { ask } from './clients.ts';
import { Fleet, type FleetProcess } from './fleet.ts';

/** The time within which control shows a change, in milliseconds. */
const soon = { timeout: 15_000, interval: 20 };
const restMs = 5_000;
/** The status with which each upstream answers. */
const statuses = { broken: 500, refusing: 401, busy: 503, good: 200 };
const upstreams: ScriptedUpstream[] = [];
let fleet: Fleet;

beforeAll(async () => {
  const provider = async (name: keyof typeof statuses, more = '') => {
    const upstream = await startUpstream(response => answer(response, statuses[name]));
    upstreams.push(upstream);
    return `{ name: ${name}, kind: openai-compatible, baseUrl: "${upstream.url}/v1"${more} }`;
  };
  const good = '{ provider: good, model: m }';
  const catalog = `providers:
  - ${await provider('broken')}
  - ${await provider('refusing', ', apiKey: { value: secret }')}
  - ${await provider('busy')}
  - ${await provider('good')}
models:
  - { name: first, targets: [ { provider: broken, model: m }, ${good} ] }
  - { name: second, targets: [ { provider: refusing, model: small }, ${good} ] }
  - { name: third, targets: [ { provider: refusing, model: large }, ${good} ] }
  - { name: "any/*", targets: [ { provider: busy, model: "*" }, ${good} ] }
`;
  fleet = await Fleet.start({ catalog: () => catalog });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  for (const upstream of upstreams) upstream.close();
});

function answer(response: ServerResponse, status: number): void {
  const headers = { 'content-type': 'application/json', ...(status === 503 && { 'retry-after': '60' }) };
  const error = JSON.stringify({ error: { message: 'It is broken.' } });
  response.writeHead(status, headers).end(status === 200 ? chatAnswer : error);
}

/** Sends a request; another target answers if the first one fails. */
async function send(model: string): Promise<void> {
  const [front] = fleet.fronts as [FleetProcess];
  const response = await ask(front.url, fleet.token, { model, format: 'chat' });
  expect(response.status, await response.text()).toBe(200);
}

async function health(query: string): Promise<HealthReport> {
  const { status, body } = await fleet.admin('GET', `/health${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as HealthReport;
}

const target = async (query: string) => (await health(query)).models[0]?.targets[0];

/** Returns the metrics of a process that begin with a name. */
async function metrics({ opsUrl }: FleetProcess, name: string): Promise<string[]> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return text.split('\n').filter(line => line.startsWith(name));
}

const targetMetrics = (provider: string) =>
  metrics(fleet.control, `gateway_target_resting{provider="${provider}"`);

test('a target that fails rests, is probed after that, and serves once it is back', async () => {
  const serving = { provider: 'broken', model: 'm', state: 'serving' };
  await expect.poll(() => target('?model=first')).toEqual(serving);
  const began = Date.now();
  for (let i = 0; i < 3; i++) await send('first');
  const resting = { ...serving, state: 'resting', reason: 'failures', error: 'upstream' };
  await expect.poll(() => target('?model=first'), soon).toMatchObject(resting);
  const { since = '', until = '' } = (await target('?model=first')) ?? {};
  expect(Date.parse(since)).toBeGreaterThanOrEqual(began);
  expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
  expect(Date.parse(until)).toBe(Date.parse(since) + restMs);
  const line = 'gateway_target_resting{provider="broken",model="m",reason="failures"} 1';
  expect(await targetMetrics('broken')).toEqual([line]);
  const [front] = fleet.fronts as [FleetProcess];
  expect(await metrics(front, 'gateway_target_rests_total{')).toEqual([
    'gateway_target_rests_total{provider="broken",reason="failures"} 1',
  ]);
  expect(await metrics(front, 'gateway_failovers_total')).toEqual(['gateway_failovers_total 3']);
  await expect
    .poll(() => target('?model=first'), { timeout: 2 * restMs })
    .toEqual({ ...resting, state: 'probing', since, until });
  expect(await targetMetrics('broken')).toEqual([line]);
  statuses.broken = 200;
  await send('first');
  await expect.poll(() => target('?model=first'), soon).toEqual(serving);
  expect(await targetMetrics('broken')).toEqual([]);
});

test('a refused key rests with all its targets', async () => {
  await send('second');
  const refused = { state: 'resting', reason: 'refused-key', error: 'upstream' };
  await expect
    .poll(() => health('?provider=refusing&state=resting'), soon)
    .toMatchObject({
      models: [
        { name: 'second', targets: [{ provider: 'refusing', model: 'small', ...refused }] },
        { name: 'third', targets: [{ provider: 'refusing', model: 'large', ...refused }] },
      ],
      keys: [{ provider: 'refusing', key: 'default', ...refused }],
    });
  expect(await targetMetrics('refusing')).toEqual(
    ['small', 'large'].map(
      model => `gateway_target_resting{provider="refusing",model="${model}",reason="refused-key"} 1`,
    ),
  );
  expect(await metrics(fleet.control, 'gateway_key_resting{')).toEqual([
    'gateway_key_resting{provider="refusing",key="default",reason="refused-key"} 1',
  ]);
});

test('names that clients invent are shown while they rest, and make one series', async () => {
  const invented = Array.from({ length: 50 }, (_, i) => `invented-${i}`);
  for (const name of invented) await send(`any/${name}`);
  const found = async () => (await health('?provider=busy&state=resting')).models;
  await expect.poll(async () => (await found())[0]?.targets.length, soon).toBe(invented.length);
  const [model] = await found();
  expect(model).toMatchObject({
    name: 'any/*',
    targets: [{ reason: 'asked', error: 'overloaded' }, ...Array(49).fill({})],
  });
  expect(model?.targets.map(({ model }) => model).toSorted()).toEqual(invented.toSorted());
  expect(await targetMetrics('busy')).toEqual([
    'gateway_target_resting{provider="busy",model="*",reason="asked"} 1',
  ]);
  for (const process of [fleet.control, ...fleet.fronts]) {
    const lines = await metrics(process, 'gateway_');
    expect(lines.filter(line => line.includes('invented'))).toEqual([]);
  }
});
