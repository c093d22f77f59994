import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDataFolder } from './data-folder.ts';

const isRoot = process.geteuid?.() === 0;
const somebodyElse = 65_534;
let parent: string;
let said: string[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'data folder-'));
  said = [];
});
afterEach(() => rmSync(parent, { recursive: true }));

const open = (path: string) => openDataFolder(path, line => said.push(line));
const modeOf = (path: string) => statSync(path).mode & 0o777;

/** A folder as an earlier version, or systemd, left it: others may enter, and more. */
function openFolder(name = 'data', mode = 0o755): string {
  const path = join(parent, name);
  mkdirSync(join(path, 'control'), { recursive: true });
  writeFileSync(join(path, 'token'), 'sk-1', { mode: 0o600 });
  writeFileSync(join(path, 'lock'), '', { mode: 0o644 });
  for (const folder of [path, join(path, 'control')]) chmodSync(folder, mode);
  return path;
}

test('makes a folder, and those above it, that others may not enter', async () => {
  await open(join(parent, 'a', 'b'));
  expect(modeOf(join(parent, 'a', 'b'))).toBe(0o700);
  expect(said).toEqual([]);
});

test.each([0o755, 0o777, 0o710, 0o701])(
  'closes a folder of mode %o, what lies in it too, and says so once',
  async mode => {
    const path = openFolder('data', mode);
    await open(path);
    expect(modeOf(path)).toBe(0o700);
    expect(modeOf(join(path, 'control'))).toBe(0o700);
    expect(modeOf(join(path, 'token'))).toBe(0o600);
    expect(modeOf(join(path, 'lock'))).toBe(0o600);
    await open(path);
    expect(said).toEqual([
      expect.stringContaining(`${path} was open to other users (mode ${mode.toString(8)})`),
    ]);
  },
);

test('closes the folder behind a symbolic link', async () => {
  const path = openFolder();
  symlinkSync(path, join(parent, 'link'));
  await open(join(parent, 'link'));
  expect(modeOf(path)).toBe(0o700);
});

test('refuses a path that is no folder', async () => {
  const path = join(parent, 'file');
  writeFileSync(path, '');
  await expect(open(path)).rejects.toThrow(`GATEWAY_DATA: the folder ${path} cannot be made (EEXIST)`);
});

test.skipIf(!isRoot)(
  "refuses another user's folder, open or closed (root alone can give a folder away)",
  async () => {
    const path = openFolder('theirs', 0o700);
    chownSync(path, somebodyElse, somebodyElse);
    await expect(open(path)).rejects.toThrow(
      /^GATEWAY_DATA: .*theirs belongs to another user \(uid 65534\).*; chown it to uid 0, or set/,
    );
  },
);

test.skipIf(!isRoot)(
  'refuses what another user put into an open folder (root alone can give a folder away)',
  async () => {
    const path = openFolder('data', 0o777);
    chownSync(join(path, 'token'), somebodyElse, somebodyElse);
    await expect(open(path)).rejects.toThrow(
      /token was put there by another user \(uid 65534\); remove it, or set/,
    );
    expect(modeOf(path)).toBe(0o700);
  },
);
