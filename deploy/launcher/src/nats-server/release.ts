import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { command } from './command.ts';
import type { Source } from './source.ts';
import { pinnedVersion } from './version.ts';

const answerMs = 5_000;
const downloadMs = 120_000;
const arches: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The pinned release as its project publishes it, checked against the checksums published beside it. */
export function release(
  base = `https://github.com/nats-io/nats-server/releases/download/v${pinnedVersion}`,
): Source {
  return {
    name: 'release download',
    async fetch(folder, signal) {
      const build = `nats-server-v${pinnedVersion}-${platform()}-${arches[arch()] ?? arch()}`;
      const archive = `${build}.tar.gz`;
      const [sums, bytes] = await download([`${base}/SHA256SUMS`, `${base}/${archive}`], signal);
      checkSum(archive, bytes as Buffer, (sums as Buffer).toString());
      await writeFile(join(folder, archive), bytes as Buffer);
      await command('tar', ['-xzf', archive], { cwd: folder, timeoutMs: 60_000 });
      return join(folder, build, 'nats-server');
    },
  };
}

/** Gives up where the answers have not begun after 5 s in all; what has begun may take two minutes. */
async function download(urls: string[], signal?: AbortSignal): Promise<Buffer[]> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), answerMs);
  const limits = [silent.signal, AbortSignal.timeout(downloadMs), ...(signal ? [signal] : [])];
  try {
    const answers = await Promise.all(urls.map(url => fetch(url, { signal: AbortSignal.any(limits) })));
    clearTimeout(timer);
    const refused = answers.find(answer => !answer.ok);
    if (refused) throw new Error(`${refused.url} answered ${refused.status}`);
    return await Promise.all(answers.map(async answer => Buffer.from(await answer.arrayBuffer())));
  } catch (error) {
    if (silent.signal.aborted) throw new Error(`no answer within ${answerMs / 1000} s`, { cause: error });
    const { message, cause } = error as Error;
    throw new Error(cause instanceof Error ? cause.message : message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function checkSum(name: string, bytes: Buffer, sums: string): void {
  const lines = sums.split('\n').map(line => line.trim().split(/\s+\*?/));
  const expected = lines.find(([, file]) => file === name)?.[0];
  if (!expected) throw new Error(`no checksum is published for ${name}`);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== expected) throw new Error(`${name} does not have its published checksum`);
}
