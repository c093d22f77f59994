import { spawn } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { inputsOf, isBuilt, outputs } from './outputs.mjs';

/**
 * Writes an output into a new folder.
 * @type {Record<keyof typeof outputs, (root: string, folder: string) => string[]>}
 */
const commands = {
  programs: (root, folder) => [join(root, 'deploy/build/bundle.ts'), folder],
  pages: (root, folder) => [
    join(root, 'node_modules/vite/bin/vite.js'),
    ...['build', join(root, 'services/console'), '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'],
  ],
};

/**
 * Returns a function that builds an output; undefined if the output is up to date.
 * @param {string} root
 * @param {keyof typeof outputs} name
 * @param {string} node The program of Node that runs the build.
 * @returns {((options?: { inBackground?: boolean, signal?: AbortSignal }) => Promise<void>) | undefined}
 */
export function staleOutput(root, name, node) {
  const output = outputs[name];
  const hash = inputsOf(root, output);
  if (isBuilt(root, output, hash)) return undefined;
  return async ({ inBackground = false, signal } = {}) => {
    const folder = join(root, output.folder);
    const next = `${folder}.next`;
    try {
      await run(node, commands[name](root, next), { cwd: root, inBackground, ...(signal && { signal }) });
    } catch (error) {
      // What is left would be of other sources.
      for (const left of [folder, next]) rmSync(left, { recursive: true, force: true });
      throw error;
    }
    writeFileSync(join(next, 'built-from'), hash);
    // A gateway that runs reads its files from the old folder until then.
    const old = `${folder}.old`;
    rmSync(old, { recursive: true, force: true });
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(next, folder);
    rmSync(old, { recursive: true, force: true });
  };
}

/**
 * Runs a program of Node. A program in the background leaves the cores to others.
 * @param {string} node
 * @param {string[]} args
 * @param {{ cwd: string, inBackground: boolean, signal?: AbortSignal }} options
 * @returns {Promise<void>}
 * @throws Error with what the program printed
 */
function run(node, args, { cwd, inBackground, signal }) {
  return new Promise((resolve, reject) => {
    // With another value, React would be built for its developers.
    const env = { ...process.env, NODE_ENV: 'production' };
    const child = spawn(node, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal && { signal }),
    });
    if (inBackground && child.pid) setPriority(child.pid, 10);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text));
    child.on('error', reject);
    child.on('close', code => (code === 0 ? resolve() : reject(new Error(output.trim()))));
  });
}
