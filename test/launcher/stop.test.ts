import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { chat } from './ask.ts';
import { cleanUp, Launched, newFolder, type ReadyFile, untilGone } from './launched.ts';

afterEach(cleanUp);

/** Streams for two seconds. */
const slowModel = 'sim-t20-i100ms';
const pids = (ready: ReadyFile) => ready.processes.map(({ pid }) => pid);

/** The pid of a process of the gateway. */
function pidOf(ready: ReadyFile, name: string): number {
  return ready.processes.find(process => process.name === name)?.pid as number;
}

test('SIGTERM, and SIGINT to the whole group after a restart, stop the gateway, twice', async () => {
  const data = newFolder();
  const secrets = new Set<string>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const gateway = new Launched({ by: 'npm', data, env: { GATEWAY_DRAIN: '60s' } });
    const ready = await gateway.ready();
    secrets.add(`${ready.token} ${ready.adminToken}`);
    const shown = signal === 'SIGTERM' ? 'Token      sk-' : `Token      in ${join(data, 'token')}`;
    // The banner follows the ready file.
    await expect
      .poll(() => gateway.output, { message: 'the first start alone shows the token' })
      .toContain(shown);
    expect(gateway.output.includes(ready.token)).toBe(signal === 'SIGTERM');
    const text = (await chat(ready, slowModel, true)).text();

    const begun = Date.now();
    gateway.signal(signal, 'group');
    await expect.poll(() => gateway.output).toContain('"draining"');
    gateway.signal(signal, 'group');

    expect((await text).trimEnd(), 'a running stream ends as it would').toMatch(/data: \[DONE\]$/);
    expect(await gateway.exit()).toBe(0);
    expect(Date.now() - begun, 'nothing waits for the end of the drain').toBeLessThan(40_000);
    await untilGone(pids(ready));
  }
  expect(secrets.size, 'the secrets are the same after a restart').toBe(1);
});

test('a stream that outlives the drain time is cut, and the gateway stops', async () => {
  const gateway = new Launched({ env: { GATEWAY_DRAIN: '500ms' } });
  const ready = await gateway.ready();
  const answer = await chat(ready, 'sim-t600-i100ms', true);
  const text = answer.text().catch(() => 'cut');
  gateway.signal('SIGTERM', 'process');
  expect(await gateway.exit()).toBe(0);
  expect(await text).not.toContain('[DONE]');
  await untilGone(pids(ready));
});

test('a signal during the start stops the gateway', async () => {
  const gateway = new Launched();
  await expect.poll(() => gateway.output, { timeout: 60_000 }).toContain('simulator');
  gateway.signal('SIGTERM', 'process');
  expect(await gateway.exit()).toBe(0);
  expect(gateway.output).not.toContain('Error');
});

test('a kill -9 during the start leaves no process behind', async () => {
  const gateway = new Launched();
  await expect.poll(() => gateway.output, { timeout: 60_000 }).toContain('simulator');
  gateway.signal('SIGKILL', 'process');
  await expect.poll(() => gateway.silent(), { timeout: 30_000 }).toBe(true);
});

test('a kill -9 of npm leaves no process behind', async () => {
  const gateway = new Launched({ by: 'npm' });
  const ready = await gateway.ready();
  gateway.signal('SIGKILL', 'process');
  await untilGone(pids(ready));
});

test('killed services are restarted, and a kill -9 of the launcher leaves no service behind', async () => {
  const gateway = new Launched({ env: { GATEWAY_FRONTS: '2' } });
  const ready = await gateway.ready();
  for (const name of ['front', 'worker', 'control', 'simulator', 'nats-server']) {
    const pid = pidOf(gateway.read(), name);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => pidOf(gateway.read(), name), { timeout: 60_000 }).not.toBe(pid);
  }
  await expect.poll(async () => (await chat(ready, 'sim-fast')).status, { timeout: 30_000 }).toBe(200);
  for (const { healthUrl } of gateway.read().processes) expect((await fetch(healthUrl)).status).toBe(200);
  gateway.signal('SIGKILL', 'process');
  await untilGone(pids(gateway.read()));
});
