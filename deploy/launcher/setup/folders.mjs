import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Problem } from './steps.mjs';

/**
 * Checks that this user may write what an installation writes.
 * @param {string} root
 * @throws Problem that names the folder
 */
export function checkCheckout(root) {
  for (const name of ['node_modules', '.cache', 'dist', 'services/console/dist'])
    checkWritable(join(root, name), 'install and build there: run npm as the owner of this folder');
}

/**
 * Checks that this user may write the gateway's state.
 * @param {NodeJS.ProcessEnv} env
 * @throws Problem that names the folder
 */
export function checkData({ GATEWAY_DATA = '.gateway' }) {
  checkWritable(resolve(GATEWAY_DATA), 'keep its state there: set GATEWAY_DATA to another folder');
}

/**
 * @param {string} path It need not exist.
 * @param {string} purpose
 */
function checkWritable(path, purpose) {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    throw new Problem(`${folder} cannot be written by this user, so that the gateway cannot ${purpose}`);
  }
}
