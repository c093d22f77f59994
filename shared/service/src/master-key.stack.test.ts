import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readMasterKey } from './master-key.ts';

const root = mkdtempSync(join(tmpdir(), 'master-key-'));
afterAll(() => rmSync(root, { recursive: true }));
const newFolder = () => mkdtempSync(join(root, 'data-'));
const bytes = Buffer.alloc(32, 0xab);

test.each(['hex', 'base64', 'base64url'] as const)('the master key is read from 32 bytes in %s', encoding => {
  const GATEWAY_MASTER_KEY = bytes.toString(encoding);
  expect(readMasterKey({ GATEWAY_MASTER_KEY, GATEWAY_DATA: '/nowhere' })).toEqual(bytes);
});

test.each(['short', 'z'.repeat(64), bytes.toString('hex').slice(2)])(
  'an invalid master key is rejected and not repeated: %s',
  text => {
    const read = () => readMasterKey({ GATEWAY_MASTER_KEY: text, GATEWAY_DATA: '/nowhere' });
    expect(read).toThrow('GATEWAY_MASTER_KEY: must be 32 bytes in base64 or hex');
  },
);

test('the key file is created once, readable only by its owner', () => {
  const GATEWAY_DATA = join(newFolder(), 'deep', 'er');
  const key = readMasterKey({ GATEWAY_DATA });
  expect(key).toHaveLength(32);
  expect(readMasterKey({ GATEWAY_DATA })).toEqual(key);
  expect(statSync(join(GATEWAY_DATA, 'master-key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(GATEWAY_DATA)).toEqual(['master-key']);
});

test('an invalid key file is named in the error', () => {
  const GATEWAY_DATA = newFolder();
  writeFileSync(join(GATEWAY_DATA, 'master-key'), 'spoilt');
  expect(() => readMasterKey({ GATEWAY_DATA })).toThrow(join(GATEWAY_DATA, 'master-key'));
});

test('processes that start at the same time get the same key', async () => {
  const GATEWAY_DATA = newFolder();
  const module = new URL('./master-key.ts', import.meta.url);
  const script = `import { readMasterKey } from ${JSON.stringify(module.href)};
    process.stdout.write(readMasterKey({ GATEWAY_DATA: ${JSON.stringify(GATEWAY_DATA)} }).toString('base64'));`;
  const keys = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.on('data', chunk => (text += chunk));
      await once(child, 'close');
      return text;
    }),
  );
  expect(new Set(keys)).toEqual(new Set([readFileSync(join(GATEWAY_DATA, 'master-key'), 'utf8').trim()]));
});
