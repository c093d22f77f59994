import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { command } from './command.mjs';

/**
 * A source of a nats-server.
 * @typedef {object} Source
 * @property {string} name
 * @property {(folder: string, signal?: AbortSignal) => Promise<string>} fetch Writes the program into `folder` and returns its path.
 * It throws an Error with the reason in one line.
 */

const answerMs = 5_000;
const downloadMs = 120_000;
/** @type {Partial<Record<string, string>>} */
const arches = { x64: 'amd64', arm64: 'arm64' };

/** The release to fetch: the newest whose checksums were compared with the published ones. */
export const releaseVersion = '2.15.0';

/**
 * The SHA-256 of each archive `nats-server-v<version>-<platform>.tar.gz`. Other platforms are not fetched.
 * @type {Readonly<Record<string, string>>}
 */
export const releaseSums = {
  'darwin-amd64': '5bd8b59ca5bf93fab3da2c5843cf564cd6e2e291e22ae3b861746e7ebe259b95',
  'darwin-arm64': 'e1c4e22d70bd44abfa0bcb3c16f7cf0c66f648c2e728c58924e8a1ce88913cc8',
  'linux-amd64': '5d2c51caca950333aba84911df7d377f826f3a59ec36061c6539105084f65c92',
  'linux-arm64': 'cdc208f5a3f42963a52b6ab06ef65626bb870315dc936e26ba571780c6351112',
};

/**
 * Downloads the release that the NATS project publishes. It must match the checksum that is pinned here.
 * @returns {Source}
 */
export function release(
  base = `https://github.com/nats-io/nats-server/releases/download/v${releaseVersion}`,
  sums = releaseSums,
) {
  return {
    name: 'release download',
    async fetch(folder, signal) {
      const system = `${platform()}-${arches[arch()] ?? arch()}`;
      const sum = sums[system];
      if (!sum) throw new Error(`no checksum is pinned for ${system}`);
      const build = `nats-server-v${releaseVersion}-${system}`;
      const archive = `${build}.tar.gz`;
      const bytes = await download(`${base}/${archive}`, signal);
      checkSum(archive, bytes, sum);
      await writeFile(join(folder, archive), bytes);
      await command('tar', ['-xzf', archive], { cwd: folder, timeoutMs: 60_000, ...(signal && { signal }) });
      return join(folder, build, 'nats-server');
    },
  };
}

/**
 * Downloads a file. The response must begin within 5 s and end within two minutes.
 * @param {string} url
 * @param {AbortSignal} [signal]
 */
async function download(url, signal) {
  const noResponse = new AbortController();
  const timer = setTimeout(() => noResponse.abort(), answerMs);
  const limits = [noResponse.signal, AbortSignal.timeout(downloadMs), ...(signal ? [signal] : [])];
  try {
    const answer = await fetch(url, { signal: AbortSignal.any(limits) });
    clearTimeout(timer);
    if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  } catch (error) {
    if (noResponse.signal.aborted)
      throw new Error(`no response within ${answerMs / 1000} s`, { cause: error });
    const { message, cause } = /** @type {Error} */ (error);
    throw new Error(cause instanceof Error ? cause.message : message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {string} name
 * @param {Buffer} bytes
 * @param {string} pinned
 */
function checkSum(name, bytes, pinned) {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== pinned) throw new Error(`${name} does not match its pinned checksum`);
}

/** @type {readonly [number, number]} */
const minimum = [2, 12];

export const minimumVersion = minimum.join('.');

/**
 * True if a version such as `2.15.1` or `v2.12.0-RC.1` is new enough: the bus needs JetStream's counters.
 * @param {string} version
 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > minimum[0] || (major === minimum[0] && minor >= minimum[1]);
}
