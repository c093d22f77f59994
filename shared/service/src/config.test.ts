import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError, readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (text: string) => {
  const path = join(folder, String(Math.random()));
  writeFileSync(path, text);
  return path;
};
const schema = z
  .object({ KEY: z.string().min(3).optional() })
  .and(z.object({ READY_FILE: z.string().optional() }));

test('a setting is read from the file that NAME_FILE names, without its last line break', () => {
  expect(readConfig(schema, { KEY_FILE: file('secret\n') })).toEqual({ KEY: 'secret' });
});

test('a variable takes precedence over its file, which is then not read', () => {
  expect(readConfig(schema, { KEY: 'given', KEY_FILE: '/nowhere' })).toEqual({ KEY: 'given' });
});

test('an empty variable, and an empty file, count as unset', () => {
  expect(readConfig(schema, { KEY: '', KEY_FILE: file('secret') })).toEqual({ KEY: 'secret' });
  expect(readConfig(schema, { KEY_FILE: file('\n') }).KEY).toBeUndefined();
});

test('a missing file is a ConfigError that names it', () => {
  const read = () => readConfig(schema, { KEY_FILE: '/nowhere' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow('KEY_FILE: /nowhere cannot be read: ENOENT');
});

test('a setting whose own name ends in _FILE is not read from the file', () => {
  expect(readConfig(schema, { READY_FILE: '/nowhere' })).toEqual({ READY_FILE: '/nowhere' });
});

test('an error does not repeat the value', () => {
  expect(() => readConfig(schema, { KEY_FILE: file('ab') })).toThrow(/^KEY: (?!.*ab\b)/);
});
