import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PoolKeys, readPoolKey } from './master-key.ts';

const root = mkdtempSync(join(tmpdir(), 'pool-keys-'));
afterAll(() => rmSync(root, { recursive: true }));
const newFolder = () => mkdtempSync(join(root, 'data-'));
const bytes = Buffer.alloc(32, 0xab);

test('control and the workers of a pool with one folder have one key, which differs from that of another pool', () => {
  const GATEWAY_DATA = newFolder();
  const eu = readPoolKey({ GATEWAY_POOL: 'eu', GATEWAY_DATA });
  const keys = new PoolKeys({ GATEWAY_DATA });
  expect(eu).toHaveLength(32);
  expect(keys.of('eu')).toEqual(eu);
  expect(keys.of('us')).not.toEqual(eu);
  expect(readPoolKey({ GATEWAY_POOL: 'us', GATEWAY_DATA })).toEqual(keys.of('us'));
  expect(statSync(join(GATEWAY_DATA, 'pool-keys', 'eu')).mode & 0o777).toBe(0o600);
});

test.each(['hex', 'base64', 'base64url'] as const)('a key is read from 32 bytes in %s', encoding => {
  const text = bytes.toString(encoding);
  expect(readPoolKey({ GATEWAY_POOL: 'eu', GATEWAY_POOL_KEY: text, GATEWAY_DATA: '/nowhere' })).toEqual(
    bytes,
  );
  const GATEWAY_POOL_KEYS = newFolder();
  writeFileSync(join(GATEWAY_POOL_KEYS, 'eu'), `${text}\n`);
  expect(new PoolKeys({ GATEWAY_POOL_KEYS, GATEWAY_DATA: '/nowhere' }).of('eu')).toEqual(bytes);
});

test('control makes no key in a folder that is given, and names what it lacks or cannot read', () => {
  const GATEWAY_POOL_KEYS = newFolder();
  const keys = new PoolKeys({ GATEWAY_POOL_KEYS, GATEWAY_DATA: '/nowhere' });
  expect(() => keys.of('eu')).toThrow(join(GATEWAY_POOL_KEYS, 'eu'));
  writeFileSync(join(GATEWAY_POOL_KEYS, 'eu'), 'spoilt');
  expect(() => keys.of('eu')).toThrow(`${join(GATEWAY_POOL_KEYS, 'eu')}: must be 32 bytes in base64 or hex`);
});

test('an invalid key of a worker is named and not repeated', () => {
  const read = (settings: object) => () =>
    readPoolKey({ GATEWAY_POOL: 'eu', GATEWAY_DATA: root, ...settings });
  expect(read({ GATEWAY_POOL_KEY: 'short' })).toThrow('GATEWAY_POOL_KEY: must be 32 bytes in base64 or hex');
  const GATEWAY_DATA = newFolder();
  mkdirSync(join(GATEWAY_DATA, 'pool-keys'));
  writeFileSync(join(GATEWAY_DATA, 'pool-keys', 'eu'), 'spoilt');
  expect(read({ GATEWAY_DATA })).toThrow(join(GATEWAY_DATA, 'pool-keys', 'eu'));
});
