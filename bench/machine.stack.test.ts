import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { stolenMs, watchOthers } from './machine.ts';
import { cpuMsOf } from './process-usage.ts';

test('the time of other virtual machines is the eighth of all processors', () => {
  const stat = `cpu  9090455 112812 1573473 5490822 108998 1 282243 46085 2 3
cpu0 4545227 56406 786736 2745411 54499 0 141121 23042 1 1
intr 12345 0 9
`;
  expect(stolenMs(stat)).toBe(460_850);
  expect(stolenMs('btime 1\n')).toBe(0);
});

test('a process of others is counted, and one of ours is not', async () => {
  const busy = spawn(process.execPath, [
    '-e',
    "process.stdout.write('up'); setImmediate(() => { for (;;); })",
  ]);
  try {
    await once(busy.stdout, 'data');
    const [all, others] = [watchOthers([]), watchOthers([busy.pid as number])];
    const begun = performance.now();
    const before = cpuMsOf(busy.pid as number);
    const ran = () => cpuMsOf(busy.pid as number) - before;
    await expect.poll(ran).toBeGreaterThan(500);
    const share = ran() / (performance.now() - begun) / availableParallelism();
    // Other tests run meanwhile, and count in both.
    expect(all() - others()).toBeGreaterThan(share / 2);
  } finally {
    busy.kill('SIGKILL');
  }
});
