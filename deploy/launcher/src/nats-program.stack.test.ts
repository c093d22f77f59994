import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@model-gateway/clock/testing';
import { connect } from 'nats';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findNatsServer } from '../setup/nats-server/find.mjs';
import { type NatsProgram, natsProgram } from './nats-program.ts';
import { Supervisor } from './supervisor.ts';

let folder: string;
let program: NatsProgram;
let supervisor: Supervisor;
const clock = new ManualClock();
const restarted = vi.fn();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nats program-'));
  program = await natsProgram(await findNatsServer(), folder);
  supervisor = new Supervisor(program, restarted, clock);
});
afterEach(async () => {
  await supervisor.stop(clock.now() + 5_000);
  rmSync(folder, { recursive: true });
});

const health = async (url: string) => (await fetch(`${url}/healthz`)).json();

test('nats-server runs JetStream on the loopback for messages up to 8 MB, and restarts at the same address', async () => {
  const { url, opsUrl } = await supervisor.start();
  expect(url).toMatch(/^nats:\/\/127\.0\.0\.1:\d+$/);
  expect(program.urlFor('worker', url as string)).toMatch(
    /^nats:\/\/worker-default:[0-9a-f]{64}@127\.0\.0\.1:\d+$/,
  );
  expect(await health(opsUrl)).toEqual({ status: 'ok' });
  const limits = (await (await fetch(`${opsUrl}/varz`)).json()) as { max_payload: number; jetstream: object };
  expect(limits.max_payload).toBe(8 * 1024 * 1024);
  expect(limits.jetstream).toHaveProperty('config');

  process.kill(supervisor.pid as number, 'SIGKILL');
  await expect.poll(() => supervisor.running).toBe(false);
  await clock.advance(1_000);
  await expect.poll(() => restarted.mock.calls.length).toBe(1);
  expect(supervisor.started).toEqual({ url, opsUrl });
  expect(await health(opsUrl)).toEqual({ status: 'ok' });
});

test('nats-server refuses clients without a password, and its passwords are in its configuration file only', async () => {
  const { url, opsUrl } = await supervisor.start();
  const { host, username, password } = new URL(program.urlFor('front', url as string));
  const dial = (pass?: string) =>
    connect({ servers: host, reconnect: false, ...(pass && { user: username, pass }) });
  await expect(dial()).rejects.toThrow(/authorization/i);
  await expect(dial('wrong')).rejects.toThrow(/authorization/i);
  await (await dial(password)).close();
  const { origin } = new URL(opsUrl);
  for (const path of [
    '',
    '/',
    '/healthz',
    '/varz',
    '/connz?subs=1',
    '/jsz?streams=1',
    '/subsz?subs=1',
    '/stacksz',
  ]) {
    expect([path, (await fetch(origin + path)).status]).toEqual([path, 404]);
  }
  const config = join(folder, 'nats.conf');
  expect(statSync(config).mode & 0o777).toBe(0o600);
  expect(readFileSync(config, 'utf8')).toContain(password);
  expect(readFileSync(join(folder, 'nats-server.log'), 'utf8')).not.toContain(password);
});

test('nats-server has a password for each service, and new ones at the next start', async () => {
  const passwords = (of: NatsProgram) =>
    (['control', 'worker', 'front'] as const).map(name => new URL(of.urlFor(name, 'nats://a:1')).password);
  const next = await natsProgram(await findNatsServer(), folder);
  expect(new Set([...passwords(program), ...passwords(next)]).size).toBe(6);
});

test('nats-server starts despite stale port files of a killed server', async () => {
  const stale = JSON.stringify({ nats: ['nats://127.0.0.1:1'], monitoring: ['http://127.0.0.1:1'] });
  for (let pid = process.pid + 1; pid < process.pid + 500; pid++) {
    if (!isRunning(pid)) writeFileSync(join(folder, `nats-server_${pid}.ports`), stale);
  }
  supervisor = new Supervisor(await natsProgram(await findNatsServer(), folder), () => {}, clock);
  expect(readdirSync(folder).filter(name => name.endsWith('.ports'))).toEqual([]);
  const { opsUrl } = await supervisor.start();
  expect(await health(opsUrl)).toEqual({ status: 'ok' });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
