import { execFile } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The longest time that the files of a database may take to make, in milliseconds. */
const createMs = 120_000;

/** V8's optimizing compiler takes 550 MiB for the largest functions of PostgreSQL, and makes a statement a fifth faster at most. */
export const withoutOptimizer = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/**
 * Creates an empty database in `folder`, if there is none. Another process makes its files, since this one would keep the
 * 170 MiB that it takes. They are moved to `folder` once they are complete.
 */
export async function createEmbedded(folder: string): Promise<void> {
  if (existsSync(join(folder, 'PG_VERSION'))) return;
  const made = `${folder}.new-${process.pid}`;
  rmSync(made, { recursive: true, force: true });
  const program = fileURLToPath(new URL('./make-embedded.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [...withoutOptimizer, program, made], { timeout: createMs });
  renameSync(made, folder);
}
