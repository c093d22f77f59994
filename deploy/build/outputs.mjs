import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An output that is built from sources.
 * @typedef {object} Output
 * @property {string} folder Relative to the root. Its file `built-from` says from which inputs it was built.
 * @property {string[]} inputs Files and folders, relative to the root.
 * @property {RegExp} [except] Matches inputs that do not matter.
 */

const packages = ['package.json', 'package-lock.json'];
const tests = /\.test\.tsx?$|\/testing\//;

/** @type {{ programs: Output, pages: Output }} */
export const outputs = {
  /** The bundles of the services. */
  programs: {
    folder: 'dist',
    inputs: [...packages, 'shared', 'services', 'deploy'],
    except: new RegExp(`${tests.source}|^services/console/src/pages/|^deploy/(helm|kubernetes|dashboards)/`),
  },
  /** The pages of the console. */
  pages: {
    folder: 'services/console/dist',
    inputs: [
      ...packages,
      ...['src/pages', 'index.html', 'vite.config.ts', 'budget.ts'].map(name => `services/console/${name}`),
      'shared/admin-api/src',
    ],
    except: tests,
  },
};

/**
 * Returns a hash of an output's inputs.
 * @param {string} root
 * @param {Output} output
 */
export function inputsOf(root, { inputs, except }) {
  const hash = createHash('sha256');
  for (const path of inputs.flatMap(input => filesOf(root, input)).sort()) {
    if (except?.test(path)) continue;
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/**
 * True if an output was built from inputs with this hash.
 * @param {string} root
 * @param {Output} output
 * @param {string} hash
 */
export function isBuilt(root, { folder }, hash) {
  try {
    return readFileSync(join(root, folder, 'built-from'), 'utf8') === hash;
  } catch {
    return false;
  }
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
function filesOf(root, path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap(entry => {
    if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')) return [];
    const below = `${path}/${entry.name}`;
    return entry.isDirectory() ? filesOf(root, below) : entry.isFile() ? [below] : [];
  });
}
