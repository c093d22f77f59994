import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Started } from '@model-gateway/service';
import { afterEach, expect, test } from 'vitest';
import type { Program } from './service-program.ts';
import { Supervisor } from './supervisor.ts';

const supervisors: Supervisor[] = [];
afterEach(async () => {
  await Promise.all(supervisors.splice(0).map(supervisor => supervisor.stop(0)));
});

/** Supervises a script that sends a message when it is up. Its starts are in `spawned`, its restarts in `restarts`. */
function supervise(script: string) {
  const spawned: (Started | undefined)[] = [];
  const restarts: number[] = [];
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
  const supervisor = new Supervisor(program, () => restarts.push(Date.now()));
  supervisors.push(supervisor);
  return { supervisor, spawned, restarts };
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
  const { supervisor, spawned, restarts } = supervise(up);
  const first = await supervisor.start();
  const { pid } = supervisor;
  process.kill(pid as number, 'SIGKILL');
  await expect.poll(() => restarts.length).toBe(1);
  expect(spawned).toEqual([undefined, first]);
  expect(supervisor.pid).not.toBe(pid);
});

test('a stopped program is not restarted, and is killed if it does not end', async () => {
  const { supervisor, spawned } = supervise(`process.on('SIGTERM', () => {}); ${up}`);
  await supervisor.start();
  const begun = Date.now();
  await supervisor.stop(begun + 300);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(290);
  expect(() => process.kill(supervisor.pid as number, 0)).toThrow('ESRCH');
  expect(spawned).toHaveLength(1);
});

test('a stop during the pause before a restart cancels the restart', async () => {
  const { supervisor, spawned } = supervise(up);
  await supervisor.start();
  process.kill(supervisor.pid as number, 'SIGKILL');
  await expect.poll(() => supervisor.running).toBe(false);
  await supervisor.stop(Date.now() + 1_000);
  await new Promise(resolve => setTimeout(resolve, 1_200));
  expect(spawned).toHaveLength(1);
});
