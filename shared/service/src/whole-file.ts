import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Returns the text of a file (mode 0600). The first caller creates it from `make`; the others read it. The
 * file appears with its complete text, so that no reader finds half of it.
 */
export function persistentFile(path: string, make: () => string): string {
  const found = readIfThere(path);
  if (found !== undefined) return found;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = draftOf(path);
  const text = make();
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8').trim();
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Writes a file (mode 0600), or replaces it. No reader finds half of it. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = draftOf(path);
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The random name prevents other users from creating the file first in a folder where they may write. */
function draftOf(path: string): string {
  return `${path}.${randomUUID()}.new`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const busy = 5;

/**
 * Locks a file, which it creates, until the lock is disposed of or this process ends, however it ends. Returns undefined
 * if the file is locked. Node has no file locks. SQLite uses those of the operating system, so a killed process leaves
 * no lock behind.
 */
export function lockFile(path: string): Disposable | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === busy) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}
