import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command } from './command.mjs';
import { installerPrograms, installers } from './installers.mjs';
import { isNewEnough, minimumVersion, release, releaseSums } from './release.mjs';

/** @typedef {import('./release.mjs').Source} Source */

/**
 * @typedef {object} Search
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [cache] The folder of fetched tools; by default in the checkout, whatever GATEWAY_DATA is.
 * @property {readonly Source[]} [sources]
 * @property {(line: string) => void} [say] Prints a line about a slow step.
 * @property {AbortSignal} [signal]
 */

/**
 * Returns the path of a nats-server that runs here and is new enough: NATS_SERVER_BIN if it is set, else the first on
 * PATH, the cached one, or a newly fetched one.
 * @param {Search} [search]
 * @returns {Promise<string>}
 * @throws Error with a line for each failed attempt
 */
export async function findNatsServer(search = {}) {
  const { env = process.env, cache = checkoutCache, sources = [release(), ...installers] } = search;
  if (env.NATS_SERVER_BIN) return await named(env.NATS_SERVER_BIN);
  const { found, failures } = await findInstalled(env, cache);
  if (found) return found;
  const cached = join(cache, 'nats-server');
  search.say?.(`Fetching nats-server ${minimumVersion} or newer`);
  for (const source of sources) {
    search.signal?.throwIfAborted();
    const failure = await fetchInto(cached, cache, source, search.signal).then(() => undefined, messageOf);
    if (!failure) return cached;
    failures.push(`${source.name}: ${failure}`);
  }
  throw new Error(advice(failures));
}

/**
 * Checks, without fetching anything, that a nats-server is installed or that some way to get one exists.
 * @param {Search} [search]
 * @returns {Promise<{ installed: boolean }>}
 * @throws Error that says what to install
 */
export async function checkNatsServer({ env = process.env, cache = checkoutCache } = {}) {
  if (env.NATS_SERVER_BIN) {
    await named(env.NATS_SERVER_BIN);
    return { installed: true };
  }
  const { found, failures } = await findInstalled(env, cache);
  if (found) return { installed: true };
  const programs = await Promise.all(
    folders(env).flatMap(folder => installerPrograms.map(name => isProgram(join(folder, name)))),
  );
  if (!programs.includes(true) && Object.keys(releaseSums).every(system => !isThisSystem(system)))
    throw new Error(
      advice([
        ...failures,
        `no release is pinned for ${process.platform} on ${process.arch}`,
        `none of ${installerPrograms.join(', ')} is installed`,
      ]),
    );
  return { installed: false };
}

/** @param {string} system */
function isThisSystem(system) {
  return system === `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
}

const checkoutCache = fileURLToPath(new URL('../../../../.cache/', import.meta.url));

/**
 * Looks on PATH and in the cache. A nats-server that is too old or does not run is one of the failures.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} cache
 * @returns {Promise<{ found?: string, failures: string[] }>}
 */
async function findInstalled(env, cache) {
  /** @type {string[]} */
  const failures = [];
  for (const folder of [...folders(env), cache]) {
    const path = join(folder, 'nats-server');
    if (!(await isProgram(path))) continue;
    const failure = await checkVersion(path).then(() => undefined, messageOf);
    if (!failure) return { found: path, failures };
    failures.push(failure);
  }
  return { failures };
}

/**
 * Runs a nats-server to get its version.
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @throws Error if it does not run here or is too old
 */
async function checkVersion(path, signal) {
  const printed = await command(path, ['--version'], { timeoutMs: 10_000, ...(signal && { signal }) });
  const version = /v(\d+\.\d+\S*)/.exec(printed)?.[1];
  if (!version) throw new Error(`${path} does not report its version`);
  if (!isNewEnough(version)) throw new Error(`${path} is ${version}, older than ${minimumVersion}`);
}

/** @param {string} path */
async function named(path) {
  await checkVersion(path).catch(error => {
    throw new Error(`NATS_SERVER_BIN: ${messageOf(error)}`, { cause: error });
  });
  return path;
}

/**
 * The folders of PATH.
 * @param {NodeJS.ProcessEnv} env
 */
function folders(env) {
  return (env.PATH ?? '').split(delimiter).filter(folder => folder !== '');
}

/** @param {string} path */
function isProgram(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Fetches into a temporary folder, then renames to `target`, so that concurrent calls are safe.
 * @param {string} target
 * @param {string} cache
 * @param {Source} source
 * @param {AbortSignal} [signal]
 */
async function fetchInto(target, cache, source, signal) {
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

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {string[]} failures */
function advice(failures) {
  return [
    `No nats-server ${minimumVersion} or newer was found, and none could be fetched:`,
    ...failures.map(failure => `  - ${failure}`),
    'Install one on PATH (https://nats.io/download), set NATS_SERVER_BIN to its path,',
    'or set NATS_URL to a running server with JetStream.',
  ].join('\n');
}
