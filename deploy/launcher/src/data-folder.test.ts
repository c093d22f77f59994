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
import { lockDataFolder, openDataFolder } from './data-folder.ts';

const isRoot = process.geteuid?.() === 0;
const otherUser = 65_534;
let parent: string;
let lines: string[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'data folder-'));
  lines = [];
});
afterEach(() => rmSync(parent, { recursive: true }));

const open = (path: string) => openDataFolder(path, line => lines.push(line));
const modeOf = (path: string) => statSync(path).mode & 0o777;

/** Makes a data folder that other users can enter, as created by an earlier version or by systemd. */
function openFolder(name = 'data', mode = 0o755): string {
  const path = join(parent, name);
  mkdirSync(join(path, 'control'), { recursive: true });
  writeFileSync(join(path, 'token'), 'sk-1', { mode: 0o600 });
  writeFileSync(join(path, 'lock'), '', { mode: 0o644 });
  for (const folder of [path, join(path, 'control')]) chmodSync(folder, mode);
  return path;
}

test('a data folder and its parents are created so that other users cannot enter', async () => {
  await open(join(parent, 'a', 'b'));
  expect(modeOf(join(parent, 'a', 'b'))).toBe(0o700);
  expect(lines).toEqual([]);
});

test.each([0o755, 0o777, 0o710, 0o701])(
  'a data folder of mode %o and its entries are closed to other users, which is reported once',
  async mode => {
    const path = openFolder('data', mode);
    await open(path);
    expect(modeOf(path)).toBe(0o700);
    expect(modeOf(join(path, 'control'))).toBe(0o700);
    expect(modeOf(join(path, 'token'))).toBe(0o600);
    expect(modeOf(join(path, 'lock'))).toBe(0o600);
    await open(path);
    expect(lines).toEqual([
      expect.stringContaining(`${path} was open to other users (mode ${mode.toString(8)})`),
    ]);
  },
);

test('a data folder behind a symbolic link is closed to other users', async () => {
  const path = openFolder();
  symlinkSync(path, join(parent, 'link'));
  await open(join(parent, 'link'));
  expect(modeOf(path)).toBe(0o700);
});

test('a path that is not a folder is refused', async () => {
  const path = join(parent, 'file');
  writeFileSync(path, '');
  await expect(open(path)).rejects.toThrow(`GATEWAY_DATA: the folder ${path} cannot be created (EEXIST)`);
});

test('a data folder is locked by one gateway until that releases it', () => {
  const path = openFolder('locked', 0o700);
  const lock = lockDataFolder(path);
  expect(() => lockDataFolder(path)).toThrow(
    `GATEWAY_DATA: another gateway runs in ${path}; set GATEWAY_DATA to another folder`,
  );
  lock[Symbol.dispose]();
  lockDataFolder(path)[Symbol.dispose]();
});

test.skipIf(!isRoot)(
  "another user's folder is refused, open or closed (only root can change its owner)",
  async () => {
    const path = openFolder('theirs', 0o700);
    chownSync(path, otherUser, otherUser);
    await expect(open(path)).rejects.toThrow(
      /^GATEWAY_DATA: .*theirs belongs to another user \(uid 65534\).*; chown it to uid 0, or set/,
    );
  },
);

test.skipIf(!isRoot)(
  "another user's file in an open folder is refused (only root can change its owner)",
  async () => {
    const path = openFolder('data', 0o777);
    chownSync(join(path, 'token'), otherUser, otherUser);
    await expect(open(path)).rejects.toThrow(
      /token was put there by another user \(uid 65534\); remove it, or set/,
    );
    expect(modeOf(path)).toBe(0o700);
  },
);
