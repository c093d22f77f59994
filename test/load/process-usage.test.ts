import { expect, test } from 'vitest';
import { fromPs, usageOf } from './process-usage.ts';

/** Node's own figures of this process. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

test('the usage of this process is counted', () => {
  const before = usageOf(process.pid).cpuMs;
  const until = usedMs() + 200;
  while (usedMs() < until);
  const { cpuMs, residentMb } = usageOf(process.pid);
  expect(Math.abs(cpuMs - usedMs())).toBeLessThan(50);
  expect(cpuMs - before).toBeGreaterThan(150);
  expect(residentMb).toBeCloseTo(process.memoryUsage.rss() / 1_024 / 1_024, -2);
});

test('the usage by ps is the same', () => {
  const { cpuMs, residentMb } = usageOf(process.pid);
  const asked = fromPs(process.pid);
  expect(Math.abs(asked.cpuMs - cpuMs)).toBeLessThan(1_500);
  expect(asked.residentMb).toBeCloseTo(residentMb, -2);
});

test('the usage of a process that has ended is an error', () => {
  expect(() => usageOf(2 ** 22 + 1)).toThrow();
});
