import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { python } from './servers.ts';

const run = promisify(execFile);
const version = 'v0.17.4';
/** The source package that holds the headers which Go leaves out of Ollama's module, as they lie in a folder `vendor`. */
const headers = { name: 'llama_cpp_python', version: '0.3.36' };
const cache = fileURLToPath(new URL('../../node_modules/.cache/upstreams', import.meta.url));
const buildMs = 1_800_000;

/** Finds Ollama's program; builds it with Go if it is missing, which takes many minutes. Returns the reason if it cannot. */
export async function findOllama(): Promise<{ program: string } | { missing: string }> {
  const folder = join(cache, `ollama-${version}`);
  const program = join(folder, 'ollama');
  if (existsSync(program)) return { program };
  if ('missing' in python) return python;
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(join(cache, 'new-'));
  try {
    await build(python.python, made);
    await mkdir(folder, { recursive: true });
    await rename(join(made, 'ollama'), program);
    return { program };
  } catch (error) {
    return { missing: `Ollama could not be built (${(error as Error).message.trim().split('\n').at(-1)})` };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function build(python: string, folder: string): Promise<void> {
  const { name, version: of } = headers;
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '-d', folder];
  await run(python, [...download, `${name}==${of}`], { timeout: buildMs });
  const vendor = `${name}-${of}/vendor/llama.cpp/vendor`;
  await run('tar', ['-xzf', join(folder, `${name}-${of}.tar.gz`), '-C', folder, vendor], {
    timeout: buildMs,
  });
  const env = {
    ...process.env,
    CGO_ENABLED: '1',
    CGO_CPPFLAGS: `-I${join(folder, vendor)}`,
    GOBIN: folder,
    GOFLAGS: '-modcacherw',
    GOPATH: join(folder, 'go'),
  };
  const args = ['install', `github.com/ollama/ollama@${version}`];
  await run('go', args, { cwd: folder, env, timeout: buildMs, maxBuffer: 64 * 1_024 * 1_024 });
}
