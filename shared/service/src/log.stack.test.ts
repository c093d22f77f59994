import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const log = fileURLToPath(new URL('./log.ts', import.meta.url));

/** Returns a program that logs `written`, then does what `after` says. */
function program(after: string): string[] {
  const code = `import { createLog } from ${JSON.stringify(log)};
    const log = createLog('test', 'info');
    log.info('written');
    ${after}`;
  return ['--input-type=module', '--eval', code];
}

test.each([
  ['flushes and exits', 'log.flush(() => process.exit(0));'],
  ['exits at once', 'process.exit(0);'],
  ['has nothing to do any more', ''],
])('the lines of a process that %s are written', (_name, after) => {
  const { stdout } = spawnSync(process.execPath, program(after), { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ name: 'test', msg: 'written' });
});

test('a line of a running process is written soon', async () => {
  const process_ = spawn(process.execPath, program('setInterval(() => {}, 1_000);'));
  try {
    const [data] = await once(process_.stdout, 'data');
    expect(String(data)).toContain('written');
  } finally {
    process_.kill('SIGKILL');
  }
});

test('a line that is due while another one is written is written soon, too', async () => {
  // The only thread of the pool opens a pipe that has no writer, until both lines are due.
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const after = `const { open, writeSync } = await import('node:fs');
    open(${JSON.stringify(pipe)}, () => {});
    setTimeout(() => {
      log.info('second');
      setTimeout(() => writeSync(2, 'both are due'), 150);
    }, 150);
    setInterval(() => {}, 1_000);`;
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  const process_ = spawn(process.execPath, program(after), { env });
  try {
    let out = '';
    process_.stdout.on('data', data => {
      out += data;
    });
    const [told] = await once(process_.stderr, 'data');
    expect([String(told), out]).toEqual(['both are due', '']);
    await (await open(pipe, 'w')).close();
    await expect.poll(() => out).toMatch(/"written".*"second"/s);
  } finally {
    process_.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});
