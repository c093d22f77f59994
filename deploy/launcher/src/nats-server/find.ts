import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command } from './command.ts';
import { installers } from './installers.ts';
import { isNewEnough, minimumVersion, release, type Source } from './release.ts';

/** Runs a nats-server to get its version. @throws Error if it does not run here or is too old */
async function checkVersion(path: string, signal?: AbortSignal): Promise<string> {
  const printed = await command(path, ['--version'], { timeoutMs: 10_000, ...(signal && { signal }) });
  const version = /v(\d+\.\d+\S*)/.exec(printed)?.[1];
  if (!version) throw new Error(`${path} does not report its version`);
  if (!isNewEnough(version)) throw new Error(`${path} is ${version}, older than ${minimumVersion}`);
  return version;
}

export interface Search {
  env?: NodeJS.ProcessEnv;
  /** The folder of fetched tools; by default in the checkout, whatever GATEWAY_DATA is. */
  cache?: string;
  sources?: readonly Source[];
  /** Prints a line about a slow step. */
  say?(line: string): void;
  signal?: AbortSignal;
}

/**
 * Returns the path of a nats-server that runs here and is new enough: NATS_SERVER_BIN if it is set, else the first on
 * PATH, the cached one, or a newly fetched one. @throws Error with a line for each failed attempt
 */
export async function findNatsServer(search: Search = {}): Promise<string> {
  const { env = process.env, cache = checkoutCache, sources = [release(), ...installers] } = search;
  if (env.NATS_SERVER_BIN) return await named(env.NATS_SERVER_BIN);
  const failures: string[] = [];
  const cached = join(cache, 'nats-server');
  for (const path of [...onPath(env), cached]) {
    if (!(await isProgram(path))) continue;
    const failure = await checkVersion(path).then(() => undefined, messageOf);
    if (!failure) return path;
    failures.push(failure);
  }
  search.say?.(`Fetching nats-server ${minimumVersion} or newer`);
  for (const source of sources) {
    search.signal?.throwIfAborted();
    const failure = await fetchInto(cached, cache, source, search.signal).then(() => undefined, messageOf);
    if (!failure) return cached;
    failures.push(`${source.name}: ${failure}`);
  }
  throw new Error(advice(failures));
}

const checkoutCache = fileURLToPath(new URL('../../../../.cache/', import.meta.url));

async function named(path: string): Promise<string> {
  await checkVersion(path).catch(error => {
    throw new Error(`NATS_SERVER_BIN: ${messageOf(error)}`, { cause: error });
  });
  return path;
}

function onPath(env: NodeJS.ProcessEnv): string[] {
  const folders = (env.PATH ?? '').split(delimiter).filter(folder => folder !== '');
  return folders.map(folder => join(folder, 'nats-server'));
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Fetches into a temporary folder, then renames to `target`, so that concurrent calls are safe. */
async function fetchInto(target: string, cache: string, source: Source, signal?: AbortSignal): Promise<void> {
  // A checkout may be shared: all its users must be able to run the program, whatever this process's umask.
  if (await mkdir(cache, { recursive: true })) await chmod(cache, 0o755);
  const folder = await mkdtemp(join(cache, 'fetching-'));
  try {
    const program = await source.fetch(folder, signal);
    await chmod(program, 0o755);
    await checkVersion(program, signal);
    await rename(program, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function advice(failures: string[]): string {
  return [
    `No nats-server ${minimumVersion} or newer was found, and none could be fetched:`,
    ...failures.map(failure => `  - ${failure}`),
    'Install one on PATH (https://nats.io/download), set NATS_SERVER_BIN to its path,',
    'or set NATS_URL to a running server with JetStream.',
  ].join('\n');
}
