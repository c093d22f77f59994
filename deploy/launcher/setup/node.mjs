import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from './steps.mjs';

/** The oldest major version that runs this file, and the one that runs the gateway: it reads TypeScript. */
const oldest = { setup: 20, gateway: 24 };

const major = Number(process.versions.node.split('.', 1)[0]);

/** True if the gateway needs another Node than this one. It is a package of the workspace `deploy/node`. */
export const needsOwnNode = major < oldest.gateway;

/** @throws Problem if this Node is too old even for the setup */
export function checkNode() {
  if (major >= oldest.setup) return;
  throw new Problem(
    `Node ${oldest.setup} or newer is needed, and this is ${process.version}: install a newer one from https://nodejs.org`,
  );
}

/**
 * The Node that runs the gateway and its tests.
 * @param {string} root
 */
export function nodeProgram(root) {
  return needsOwnNode ? ownNode(root) : process.execPath;
}

/**
 * True if the Node that the gateway needs is there.
 * @param {string} root
 */
export function hasNode(root) {
  return !needsOwnNode || existsSync(ownNode(root));
}

/** @param {string} root */
function ownNode(root) {
  return join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
}
