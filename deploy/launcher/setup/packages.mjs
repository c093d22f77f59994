import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasNode, needsOwnNode } from './node.mjs';
import { Problem, step } from './steps.mjs';

/** @typedef {{ version?: string, dev?: boolean, devOptional?: boolean, optional?: boolean, link?: boolean }} Package */

/** The workspaces whose packages the gateway needs: the others are for tests, or for a Node that is too old. */
const workspaces = ['shared', 'services', 'deploy/launcher', 'deploy/build'];

/**
 * Installs the packages of package-lock.json that are missing: those that run the gateway, with `tests` also those of the
 * tests. Nothing that is installed is removed, since a gateway may be running from it.
 * @param {string} root
 * @param {{ tests: boolean, signal?: AbortSignal }} options
 */
export async function installPackages(root, { tests, signal }) {
  if (isInstalled(root, tests)) return;
  const isNew = !existsSync(join(root, 'node_modules'));
  const command = isNew ? ['ci'] : ['install', '--no-save'];
  // Without the tests' packages, npm would remove those that are there.
  const withTests = tests || hasTestPackages(root);
  const chosen = [
    ...workspaces,
    ...(withTests ? ['test/openapi/client'] : []),
    ...(needsOwnNode ? ['deploy/node'] : []),
  ];
  const flags = [
    withTests ? '--include=dev' : '--omit=dev',
    '--include-workspace-root',
    ...chosen.flatMap(workspace => ['-w', workspace]),
    ...['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
  ];
  await step('Packages', `installing (npm ${command[0]})`, async () => {
    await npm(root, [...command, ...flags], signal);
    // 60 MB of C++ headers.
    await rm(join(root, `node_modules/node-${process.platform}-${process.arch}/include`), {
      recursive: true,
      force: true,
    });
  });
}

/**
 * True if node_modules has the packages of package-lock.json, apart from those for other platforms.
 * @param {string} root
 * @param {boolean} tests
 */
export function isInstalled(root, tests) {
  const found = installed(root);
  const wanted = Object.entries(read(root, 'package-lock.json')).filter(
    ([path, { dev, devOptional, optional, link }]) =>
      path.includes('node_modules/') && !optional && !link && (tests || !(dev || devOptional)),
  );
  return hasNode(root) && wanted.every(([path, { version }]) => found[path]?.version === version);
}

/** @param {string} root */
function hasTestPackages(root) {
  return Object.values(installed(root)).some(({ dev }) => dev);
}

/**
 * @param {string} root
 * @returns {Record<string, Package>}
 */
function installed(root) {
  try {
    return read(root, 'node_modules/.package-lock.json');
  } catch {
    return {};
  }
}

/**
 * @param {string} root
 * @param {string} file
 * @returns {Record<string, Package>}
 */
function read(root, file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
}

/**
 * @param {string} root
 * @param {string[]} args
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function npm(root, args, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal && { signal }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text));
    child.on('error', error => reject(new Problem(`npm could not be started: ${error.message}`)));
    child.on('close', code =>
      code === 0 ? resolve() : reject(new Problem(`npm ${args[0]} failed:\n${output.trim()}`)),
    );
  });
}
