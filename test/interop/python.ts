import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, type TestContext } from 'vitest';

const run = promisify(execFile);
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const clients = path('requirements.txt');
const cache = path('../../node_modules/.cache/interop');

/** A Python with the packages, or the reason why there is none. */
export type Found = { python: string } | { missing: string };

/**
 * Finds the Python with the packages of a `requirements.txt`, that of the clients by default; installs them if they are missing,
 * which takes a minute.
 */
export async function findPython(requirements = clients): Promise<Found> {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(cache, hash);
  if (!existsSync(folder)) {
    const missing = await make(folder, requirements);
    if (missing) return { missing };
  }
  return { python: pythonIn(folder) };
}

const pythonIn = (folder: string) => join(folder, 'bin', 'python');

/**
 * Installs into a temporary folder and renames it, so that an existing folder is complete. Returns the error
 * if it fails.
 */
async function make(folder: string, requirements: string): Promise<string | undefined> {
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(join(cache, 'new-'));
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  try {
    const why =
      (await fails(
        'python3',
        ['-m', 'venv', made],
        150_000,
        'no Python with venv and pip is on this machine',
      )) ?? (await fails(pythonIn(made), install, 240_000, 'the Python packages could not be installed'));
    if (!why && !existsSync(folder)) await rename(made, folder);
    return why;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function fails(program: string, args: string[], timeout: number, why: string) {
  try {
    await run(program, args, { timeout });
    return undefined;
  } catch (error) {
    const lines = (error as Error).message.trim().split('\n');
    return `${why} (${lines.find(line => line.startsWith('ERROR')) ?? lines.at(-1)})`;
  }
}

/** The gateway's address for the checks, and the names of its upstreams. */
export interface Checked {
  url: string;
  token: string;
  upstreams: readonly string[];
}

/**
 * Runs the checks of a package, all of which must pass, and returns their number; skips the test without a
 * Python.
 */
export async function runChecks(
  context: TestContext,
  found: Found,
  name: string,
  checked: () => Checked,
): Promise<number> {
  if ('missing' in found) return context.skip(found.missing);
  const { url, token, upstreams } = checked();
  const printed = await runScript(found.python, name, {
    GATEWAY_URL: url,
    GATEWAY_TOKEN: token,
    GATEWAY_UPSTREAMS: upstreams.join(),
  });
  const lines = printed.trim().split('\n');
  expect(lines.filter(line => !line.startsWith('PASS '))).toEqual([]);
  return lines.length;
}

/** The output lines of the checks, each with `PASS` or `FAIL`. */
async function runScript(python: string, name: string, env: NodeJS.ProcessEnv): Promise<string> {
  const script = path(`python/${name.replace('-', '_')}_checks.py`);
  const own = { PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
  const options = { env: { ...process.env, ...own, ...env }, timeout: 150_000 };
  try {
    return (await run(python, [script], options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    return `${stdout}FAIL ${name}: ${(stderr || message).slice(-2_000)}`;
  }
}
