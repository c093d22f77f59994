import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { cpuMsOf, fromPs, memoryOf } from './process-usage.ts';

/** Node's own figures of this process. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const residentMb = () => process.memoryUsage.rss() / 1_024 / 1_024;

test('the CPU time of this process is counted', () => {
  const before = cpuMsOf(process.pid);
  const until = usedMs() + 200;
  while (usedMs() < until);
  expect(Math.abs(cpuMsOf(process.pid) - usedMs())).toBeLessThan(50);
  expect(cpuMsOf(process.pid) - before).toBeGreaterThan(150);
});

test('the memory of one process is what is resident', () => {
  const { own, shared, all } = memoryOf({ test: process.pid });
  expect(all).toBeCloseTo(residentMb(), -2);
  expect(all).toBeCloseTo((own.test ?? 0) + shared, 5);
});

test('what processes share is counted once', async () => {
  const child = spawn(process.execPath, ['-e', "process.stdout.write('up'); setInterval(() => {}, 1000)"]);
  try {
    await once(child.stdout, 'data');
    const both = memoryOf({ test: process.pid, child: child.pid as number });
    const apart = [process.pid, child.pid as number].map(pid => memoryOf({ one: pid }));
    expect(both.shared).toBeCloseTo(Math.max(...apart.map(({ shared }) => shared)), -1);
    expect(both.all).toBeLessThan(apart.reduce((sum, { all }) => sum + all, 0) - both.shared / 2);
  } finally {
    child.kill();
  }
});

test('the usage by ps is the same', () => {
  const asked = fromPs(process.pid);
  expect(Math.abs(asked.cpuMs - cpuMsOf(process.pid))).toBeLessThan(1_500);
  expect(asked.residentMb).toBeCloseTo(residentMb(), -2);
});

test('the usage of a process that has ended is an error', () => {
  expect(() => cpuMsOf(2 ** 22 + 1)).toThrow();
  expect(() => memoryOf({ gone: 2 ** 22 + 1 })).toThrow();
});
