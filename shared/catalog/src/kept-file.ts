import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The text of a file that is made once and kept (mode 0600): whoever comes first makes it, all others read it.
 * It appears with its whole text at once, so that no reader can find half of it.
 */
export function keptFile(path: string, make: () => string): string {
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
