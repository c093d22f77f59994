import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFile } from './whole-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a lock has one holder until it is released', () => {
  const path = join(folder, 'lock');
  const lock = lockFile(path);
  expect(lockFile(path)).toBeUndefined();
  lock?.[Symbol.dispose]();
  using again = lockFile(path);
  expect(again).toBeDefined();
});

test('a lock cannot be taken while another process holds it, and can as soon as that process is killed', async () => {
  const path = join(folder, 'lock');
  const module = new URL('./whole-file.ts', import.meta.url).href;
  const script = `import { lockFile } from '${module}'; globalThis.lock = lockFile(process.argv[1]);
    console.log(globalThis.lock ? 'held' : 'refused'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(String((await once(holder.stdout, 'data'))[0])).toBe('held\n');
  expect(lockFile(path)).toBeUndefined();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  using lock = lockFile(path);
  expect(lock).toBeDefined();
});
