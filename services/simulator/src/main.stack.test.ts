import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { RealtimeClient } from './testing/realtime-client.ts';

let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

async function start(env: Record<string, string>): Promise<string> {
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  child = fork(program, { env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', ...env } });
  const [{ url }] = await once(child, 'message');
  return url;
}

test.each([
  ['0', 404],
  ['1', 200],
])('GET /last with SIMULATOR_RECORD=%s has status %i', async (record, status) => {
  const url = await start({ SIMULATOR_RECORD: record });
  expect((await fetch(`${url}/v1/models`)).status).toBe(200);
  expect((await fetch(`${url}/last`)).status).toBe(status);
  child?.kill('SIGTERM');
  expect(await once(child as ChildProcess, 'exit')).toEqual([0, null]);
});

test('a response ends before SIGTERM closes its session', async () => {
  const client = await RealtimeClient.open(await start({}), 'sim-t20-i20ms');
  client.send('response.create');
  await client.until('response.created');
  const exited = once(child as ChildProcess, 'exit');
  child?.kill('SIGTERM');
  expect((await client.next('response.done')).response.status).toBe('completed');
  expect(await client.closed).toEqual({ code: 1001, reason: 'the simulator stops' });
  expect(await exited).toEqual([0, null]);
});
