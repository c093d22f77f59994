import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { chat, listModels } from './ask.ts';
import { copyOfProject, usersPath } from './checkout.ts';
import { cleanUp, Launched, newFolder, type ReadyFile, untilGone } from './launched.ts';

const checkout = copyOfProject();
const data = newFolder();
let gateway: Launched;
let ready: ReadyFile;
afterAll(cleanUp);

test('npm start in an empty checkout installs what runs, and says how long each step took', async () => {
  gateway = new Launched({
    by: 'npm',
    checkout,
    data,
    env: { PATH: usersPath(), npm_config_prefer_offline: 'true' },
  });
  ready = await gateway.ready();
  await expect.poll(() => gateway.output).toMatch(/^Gateway: started in [\d.]+ s$/m);
  for (const name of ['Packages', 'Programs'])
    expect(gateway.output).toMatch(new RegExp(`^${name}: done in [\\d.]+ s$`, 'm'));
  const packages = readdirSync(join(checkout, 'node_modules'));
  expect(packages).toContain('undici');
  for (const name of ['vitest', 'typescript', 'turbo', 'testcontainers', 'openai', 'playwright-core'])
    expect(packages).not.toContain(name);
});

test('it answers, and lists its models', async () => {
  expect((await listModels(ready)).sort()).toEqual(['sim-1', 'sim-fast', 'sim-slow']);
  expect(await (await chat(ready, 'sim-fast', true)).text()).toMatch(/data: \[DONE\]\s*$/);
});

test("the console's pages are there soon after", async () => {
  await expect.poll(() => gateway.output, { timeout: 60_000 }).toMatch(/^Console: done in [\d.]+ s$/m);
  const page = await fetch(`${ready.consoleUrl}/playground`);
  expect(page.status).toBe(200);
  const script = /<script [^>]*src="([^"]+)"/.exec(await page.text())?.[1] as string;
  expect((await fetch(new URL(script, ready.consoleUrl))).status).toBe(200);
});

test('a second start installs and builds nothing', async () => {
  gateway.signal('SIGTERM', 'process');
  expect(await gateway.exit()).toBe(0);
  await untilGone(ready.processes.map(({ pid }) => pid));
  const again = new Launched({ by: 'npm', checkout, data, env: { PATH: usersPath() } });
  const { token } = await again.ready();
  expect(token).toBe(ready.token);
  await expect.poll(() => again.output).toContain('Gateway: started in');
  expect(again.output).not.toMatch(/^(Packages|nats-server|Programs|Console):/m);
});
