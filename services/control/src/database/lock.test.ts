import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { takeLock } from './lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
afterAll(() => rmSync(folder, { recursive: true }));
const newPath = () => join(mkdtempSync(join(folder, 'data-')), 'control.lock');
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Takes the lock in another process, and resolves when that process holds it. */
async function holdElsewhere(path: string): Promise<ChildProcess> {
  const module = new URL('./lock.ts', import.meta.url).href;
  const script = `import { takeLock } from ${JSON.stringify(module)};
    await takeLock(${JSON.stringify(path)}); process.stdout.write('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

test('a lock has one holder until it is released', async () => {
  const path = newPath();
  const lock = await takeLock(path);
  await expect(takeLock(path)).rejects.toThrow(/another control uses this data folder; set DATABASE_URL/);
  lock.release();
  (await takeLock(path)).release();
  expect(readdirSync(dirname(path))).toEqual([]);
});

test('a lock cannot be taken while another process holds it, and can as soon as that process is killed', async () => {
  const path = newPath();
  const child = await holdElsewhere(path);
  const started = Date.now();
  await expect(takeLock(path)).rejects.toMatchObject({ name: 'ConfigError' });
  child.kill('SIGKILL');
  await once(child, 'exit');
  (await takeLock(path)).release();
  expect(Date.now() - started).toBeLessThan(4_000);
});

test('a lock with the id of this process from before a restart is taken over, as in a container', async () => {
  const path = newPath();
  writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname(), id: 'earlier' }));
  (await takeLock(path)).release();
});

test.concurrent.each([
  ['whose process id belongs to another program', { pid: process.ppid, host: hostname() }],
  ['on another machine', { pid: 1, host: 'elsewhere' }],
])('a lock is taken over from a holder %s, once it does not touch the file', async (_name, holder) => {
  const path = newPath();
  writeFileSync(path, JSON.stringify(holder));
  const lock = await takeLock(path);
  expect(existsSync(path)).toBe(true);
  lock.release();
});
