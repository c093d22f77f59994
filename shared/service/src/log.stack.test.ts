import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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
  // The only thread of the pool is busy while the first line is due, and the write of that while the second one is.
  const after = `const { pbkdf2 } = await import('node:crypto');
    pbkdf2('a', 'b', 1_000_000, 64, 'sha512', () => {});
    setTimeout(() => log.info('second'), 150);
    setInterval(() => {}, 1_000);`;
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  const process_ = spawn(process.execPath, program(after), { env });
  try {
    let out = '';
    process_.stdout.on('data', data => {
      out += data;
    });
    await expect.poll(() => out).toMatch(/"written".*"second"/s);
  } finally {
    process_.kill('SIGKILL');
  }
});
