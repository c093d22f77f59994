import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { BenchReport } from './report.ts';

test('a short bench measures requests and streams, and leaves no process or file behind', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'bench-test-'));
  const short = ['--seconds=2', '--warm-up=1', '--rounds=1', '--scenario=unary,stream', '--json'];
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const bench = spawn(process.execPath, [main, ...short], { env: { ...process.env, TMPDIR: temporary } });
  const ended = once(bench, 'close');
  // The output is complete only when every process that could write to it has ended.
  const [printed, errors] = await Promise.all([text(bench.stdout), text(bench.stderr)]);
  expect([(await ended)[0], errors]).toEqual([0, '']);
  const { results, memory, quiet }: BenchReport = JSON.parse(printed);
  expect(results.map(({ scenario }) => scenario.name)).toEqual(['unary', 'stream']);
  expect(typeof quiet).toBe('boolean');
  for (const { figures } of results) {
    expect(Object.keys(figures)).toEqual(['direct', 'yardstick', 'gateway']);
    for (const { requestsPerSecond } of Object.values(figures)) expect(requestsPerSecond).toBeGreaterThan(0);
    expect(figures.gateway?.totalCpuMs).toBeGreaterThan(figures.yardstick?.totalCpuMs as number);
    expect(figures.gateway?.peakMb).toBeGreaterThan(figures.yardstick?.peakMb as number);
    expect(Object.keys(figures.gateway?.cpuMs ?? {}).sort()).toEqual([
      'control',
      'front',
      'launcher',
      'nats-server',
      'worker',
    ]);
  }
  expect(memory.own.front).toBeGreaterThan(10);
  expect(memory.all).toBeGreaterThan(memory.shared);
  expect(readdirSync(temporary)).toEqual([]);
  rmSync(temporary, { recursive: true });
}, 180_000);
