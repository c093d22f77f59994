import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Returns the text of a file (mode 0600). The first caller creates it from `make`; the others read it. The
 * file appears with its complete text, so that no reader finds half of it.
 */
export function persistentFile(path: string, make: () => string): string {
  const found = readIfThere(path);
  if (found !== undefined) return found;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
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

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
