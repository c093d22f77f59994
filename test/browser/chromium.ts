import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The headless shell takes a third less CPU time than Chromium, which draws its own windows too. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** The Chromium of this machine: the one that CHROMIUM_BIN names, or the first of these names on PATH. */
export function findChromium(): string | undefined {
  const { CHROMIUM_BIN, PATH = '' } = process.env;
  if (CHROMIUM_BIN) return CHROMIUM_BIN;
  const folders = PATH.split(delimiter);
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(path => existsSync(path));
}
