import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Started } from '@model-gateway/service';
import { afterEach, expect, test } from 'vitest';
import type { Program } from './service-program.ts';
import { Supervisor } from './supervisor.ts';

const keepers: Supervisor[] = [];
afterEach(async () => {
  await Promise.all(keepers.splice(0).map(keeper => keeper.stop(0)));
});

/** Keeps a script that sends a message when it is up; what is told and given is in `spawned` and `restarts`. */
function keep(script: string) {
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
  const keeper = new Supervisor(program, () => restarts.push(Date.now()));
  keepers.push(keeper);
  return { keeper, spawned, restarts };
}

const up = "process.send({ url: 'http://h:1', opsUrl: 'http://h:2' }); setInterval(() => {}, 1000);";

test('a program that ends before it is up is an error, and is not started again', async () => {
  const { keeper, spawned } = keep('process.exit(3)');
  await expect(keeper.start()).rejects.toThrow('script ended (code 3) before it was up');
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

test('a program that is lost is started again, at the addresses that it had', async () => {
  const { keeper, spawned, restarts } = keep(up);
  const first = await keeper.start();
  const { pid } = keeper;
  process.kill(pid as number, 'SIGKILL');
  await expect.poll(() => restarts.length, { timeout: 5_000 }).toBe(1);
  expect(spawned).toEqual([undefined, first]);
  expect(keeper.pid).not.toBe(pid);
});

test('a program that was stopped is not started again, and one that will not end is killed', async () => {
  const { keeper, spawned } = keep(`process.on('SIGTERM', () => {}); ${up}`);
  await keeper.start();
  const begun = Date.now();
  await keeper.stop(begun + 300);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(290);
  expect(() => process.kill(keeper.pid as number, 0)).toThrow('ESRCH');
  expect(spawned).toHaveLength(1);
});

test('a stop while it waits to start again ends that too', async () => {
  const { keeper, spawned } = keep(up);
  await keeper.start();
  process.kill(keeper.pid as number, 'SIGKILL');
  await expect.poll(() => keeper.running).toBe(false);
  await keeper.stop(Date.now() + 1_000);
  await new Promise(resolve => setTimeout(resolve, 1_200));
  expect(spawned).toHaveLength(1);
});
