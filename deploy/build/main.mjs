// Builds what is out of date: `npm run build`, or `node deploy/build/main.mjs programs`.
import { fileURLToPath } from 'node:url';
import { staleOutput } from './build.mjs';
import { outputs } from './outputs.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = /** @type {(keyof typeof outputs)[]} */ (process.argv.slice(2));
for (const name of names.length > 0 ? names : /** @type {(keyof typeof outputs)[]} */ (Object.keys(outputs)))
  await staleOutput(root, name, process.execPath)?.();
