import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ManualClock } from '@model-gateway/clock/testing';
import type { Started } from '@model-gateway/service';
import { afterEach, expect, test, vi } from 'vitest';
import type { Program } from './service-program.ts';
import { Supervisor } from './supervisor.ts';

const clock = new ManualClock();
const supervisors: Supervisor[] = [];
afterEach(async () => {
  const stopping = supervisors.splice(0).map(supervisor => supervisor.stop(0));
  await clock.advance(1);
  await Promise.all(stopping);
});

/** Supervises a script that sends a message when it is up. Its starts are in `spawned`; `restarted` is called with each restart. */
function supervise(script: string) {
  const spawned: (Started | undefined)[] = [];
  const restarted = vi.fn();
  const program: Program = {
    name: 'script',
    spawn(earlier) {
      spawned.push(earlier);
      return spawn(process.execPath, ['-e', script], {
        detached: true,
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
    },
    async up(child, signal) {
      const [message] = await once(child, 'message', { signal });
      return message as Started;
    },
  };
  const supervisor = new Supervisor(program, restarted, clock);
  supervisors.push(supervisor);
  return { supervisor, spawned, restarted };
}

const up = "process.send({ url: 'http://h:1', opsUrl: 'http://h:2' }); setInterval(() => {}, 1000);";

test('a program that ends before it is up is an error, and is not restarted', async () => {
  const { supervisor, spawned } = supervise('process.exit(3)');
  await expect(supervisor.start()).rejects.toThrow('script ended (code 3) before it was up');
  expect(spawned).toHaveLength(1);
});

test('a program that cannot be run is an error', async () => {
  const program: Program = {
    name: 'nothing',
    spawn: () => spawn('/nowhere/nothing'),
    up: (child, signal) => once(child, 'message', { signal }) as Promise<never>,
  };
  await expect(new Supervisor(program, () => {}).start()).rejects.toThrow('nothing cannot be run');
});

test('a program that is lost is restarted at the same addresses', async () => {
  const { supervisor, spawned, restarted } = supervise(up);
  const first = await supervisor.start();
  const { pid } = supervisor;
  process.kill(pid as number, 'SIGKILL');
  await expect.poll(() => supervisor.running).toBe(false);
  await clock.advance(999);
  expect(spawned).toHaveLength(1);
  await clock.advance(1);
  await expect.poll(() => restarted.mock.calls.length).toBe(1);
  expect(spawned).toEqual([undefined, first]);
  expect(supervisor.pid).not.toBe(pid);
});

test('a stopped program is not restarted, and is killed if it does not end', async () => {
  const { supervisor, spawned } = supervise(`process.on('SIGTERM', () => {}); ${up}`);
  await supervisor.start();
  const stopped = supervisor.stop(clock.now() + 300);
  await clock.advance(299);
  expect(supervisor.running).toBe(true);
  await clock.advance(1);
  await stopped;
  expect(() => process.kill(supervisor.pid as number, 0)).toThrow('ESRCH');
  expect(spawned).toHaveLength(1);
});

test('a stop during the pause before a restart cancels the restart', async () => {
  const { supervisor, spawned } = supervise(up);
  await supervisor.start();
  process.kill(supervisor.pid as number, 'SIGKILL');
  await expect.poll(() => supervisor.running).toBe(false);
  await supervisor.stop(clock.now() + 1_000);
  await clock.advance(60_000);
  expect(spawned).toHaveLength(1);
});
