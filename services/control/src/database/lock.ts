import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '@model-gateway/service';

export interface Lock {
  release(): void;
}

/** The interval at which a holder touches its lock file. A holder that has not for {@link staleMs} is gone. */
const touchMs = 1_000;
const staleMs = 5_000;

/** The locks of this process. The process id is not enough: after a restart in a container it is the same. */
const held = new Set<string>();

/**
 * Takes the lock file, also from a holder that is gone. If the holder's process id does not prove that (ids are reused,
 * and those of other containers are unknown here), waits whether the file is touched.
 * @throws ConfigError if another process or another lock of this process holds it
 */
export async function takeLock(file: string): Promise<Lock> {
  const path = resolve(file);
  for (let attempt = 0; attempt < 5; attempt++) {
    const text = create(path);
    if (text) return hold(path, text);
    const holder = read(path);
    if (holder === undefined) continue;
    if (await isAlive(path, holder)) break;
    remove(path, holder);
  }
  throw new ConfigError(
    `${path}: another control uses this data folder; set DATABASE_URL to a PostgreSQL database to run several`,
  );
}

/** Creates the file atomically and returns its text; undefined if the file exists. */
function create(path: string): string | undefined {
  const text = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    rmSync(draft);
  }
}

function hold(path: string, text: string): Lock {
  held.add(path);
  const touch = () => {
    const now = new Date();
    if (read(path) === text) utimesSync(path, now, now);
  };
  const timer = setInterval(touch, touchMs).unref();
  return {
    release() {
      clearInterval(timer);
      held.delete(path);
      remove(path, text);
    },
  };
}

async function isAlive(path: string, holder: string): Promise<boolean> {
  if (held.has(path)) return true;
  const { pid, host } = parse(holder);
  if (host === hostname() && (pid === process.pid || !processExists(pid))) return false;
  const touched = touchedAt(path);
  for (let waited = 0; waited < staleMs; waited += 250) {
    await sleep(250);
    if (touchedAt(path) !== touched) return true;
  }
  return false;
}

/** Removes the lock file if it still is this holder's. */
function remove(path: string, holder: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') === holder) rmSync(aside);
    else renameSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function parse(holder: string): { pid?: number; host?: string } {
  try {
    return JSON.parse(holder);
  } catch {
    return {};
  }
}

function touchedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function processExists(pid: number | undefined): boolean {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
