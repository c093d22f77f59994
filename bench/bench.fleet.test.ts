import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BenchReport } from './report.ts';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'bench-test-'));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

/** Starts a bench; its output is complete only when every process that could write to it has ended. */
function start(...args: string[]) {
  const bench = spawn(process.execPath, [fileURLToPath(new URL('main.ts', import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: temporary },
  });
  const output = { text: '', errors: '' };
  bench.stdout.setEncoding('utf8').on('data', text => {
    output.text += text;
  });
  bench.stderr.setEncoding('utf8').on('data', text => {
    output.errors += text;
  });
  return { bench, output };
}

async function ended(bench: ChildProcess): Promise<number | null> {
  const [code] = await once(bench, 'close');
  return code;
}

test('a short bench measures requests and streams, and leaves no process or file behind', async () => {
  const short = ['--seconds=2', '--warm-up=1', '--rounds=1', '--scenario=unary,stream', '--json'];
  const { bench, output } = start(...short);
  expect([await ended(bench), output.errors]).toEqual([0, '']);
  const { results, memory, quiet }: BenchReport = JSON.parse(output.text);
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
}, 180_000);

test('Ctrl-C stops every process that the bench started', async () => {
  const { bench, output } = start('--scenario=paced-50');
  await expect.poll(() => readdirSync(temporary).join(), { timeout: 30_000 }).toContain('gateway-bench-');
  await new Promise(resolve => setTimeout(resolve, 3_000));
  bench.kill('SIGINT');
  expect([await ended(bench), output.errors]).toEqual([130, 'bench: interrupted\n']);
  expect(readdirSync(temporary)).toEqual([]);
});

test.each([['--rounds=none'], ['--scenario=nothing'], ['--speed=1']])(
  'the argument %s is refused',
  async flag => {
    const { bench, output } = start(flag);
    expect(await ended(bench)).toBe(1);
    expect(output.errors).toContain(flag.split('=')[0]);
  },
);
