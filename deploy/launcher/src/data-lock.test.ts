import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockData } from './data-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a data folder is locked by one process until that releases it or ends', async () => {
  const module = new URL('./data-folder.ts', import.meta.url).href;
  const script = `import { lockData } from '${module}'; globalThis.lock = lockData(process.argv[1]);
    console.log('held'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  expect(() => lockData(folder)).toThrow(`GATEWAY_DATA: another gateway runs in ${folder}`);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = lockData(folder);
  expect(() => lockData(folder)).toThrow('another gateway');
  lock[Symbol.dispose]();
  lockData(folder)[Symbol.dispose]();
});
