import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chat, listModels } from './ask.ts';
import { cleanUp, Launched, newFolder, type ReadyFile } from './launched.ts';

let gateway: Launched;
let ready: ReadyFile;

beforeAll(async () => {
  gateway = new Launched({ data: newFolder(), env: { OPENAI_API_KEY: 'sk-nothing' } });
  ready = await gateway.ready();
});
afterAll(cleanUp);

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('the launcher writes its address and token to files that only their owner can read', async () => {
  expect(modeOf(gateway.readyFile)).toBe(0o600);
  expect(ready).toEqual({
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    consoleUrl: `${ready.baseUrl}/console`,
    token: expect.stringMatching(/^sk-[\w-]{43}$/),
    adminToken: expect.stringMatching(/^sk-[\w-]{43}$/),
    natsUrl: expect.stringMatching(/^nats:\/\/control:\w{64}@127\.0\.0\.1:\d+$/),
    processes: expect.any(Array),
  });
  expect(ready.token).not.toBe(ready.adminToken);
  expect(modeOf(join(gateway.data, 'token'))).toBe(0o600);
  expect(modeOf(join(gateway.data, 'admin-token'))).toBe(0o600);
});

test('every process has a name and is healthy', async () => {
  const names = ready.processes.map(({ name }) => name).sort();
  expect(names).toEqual(['control', 'front', 'nats-server', 'simulator', 'worker']);
  for (const { name, healthUrl } of ready.processes) {
    expect([name, (await fetch(healthUrl)).status]).toEqual([name, 200]);
  }
  expect((await fetch(`${ready.baseUrl}/healthz`)).status).toBe(200);
  expect((await fetch(`${ready.baseUrl}/readyz`)).status).toBe(200);
});

test('every target for Prometheus has metrics', async () => {
  const groups: { targets: string[]; labels: { component: string } }[] = JSON.parse(
    readFileSync(join(gateway.data, 'metrics-targets.json'), 'utf8'),
  );
  const components = groups.map(({ labels }) => labels.component);
  expect(components.toSorted()).toEqual(['control', 'front', 'simulator', 'worker']);
  for (const host of groups.flatMap(({ targets }) => targets))
    expect(await (await fetch(`http://${host}/metrics`)).text()).toContain('\ngateway_ready ');
});

test("the catalog lists the simulator's models, and no model of a provider with a key", async () => {
  expect((await listModels(ready)).sort()).toEqual(['sim-1', 'sim-fast', 'sim-slow']);
});

test('the admin API has the same address', async () => {
  const tokens = `${ready.baseUrl}/api/v1/tokens`;
  expect((await fetch(tokens, bearer(ready.adminToken))).status).toBe(200);
  expect((await fetch(tokens, bearer(ready.token))).status).toBe(403);
  expect((await fetch(tokens)).status).toBe(401);
});

test.skipIf(spawnSync('curl', ['--version']).error)('the printed command works (only where curl is)', () => {
  const line = gateway.output.split('\n').find(text => text.startsWith('curl ')) as string;
  expect(line).toContain(`$(cat ${join(gateway.data, 'token')})`);
  expect(execFileSync('sh', ['-c', `${line} --silent --max-time 15`], { encoding: 'utf8' })).toMatch(
    /data: \[DONE\]\s*$/,
  );
});

test('a second gateway with the same data folder is refused, and the first continues', async () => {
  const second = new Launched({ data: gateway.data });
  expect(await second.exit()).toBe(1);
  expect(second.output).toContain(`another gateway runs in ${gateway.data}`);
  expect((await chat(ready, 'sim-fast')).status).toBe(200);
});
