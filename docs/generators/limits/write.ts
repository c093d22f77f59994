import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { sectionsOf, write } from './page.ts';
import { Settings } from './settings.ts';

/** The file that holds the page. */
const path = resolve(import.meta.dirname, '../../limits.md');

writeFileSync(path, write(await sectionsOf(Settings.read())));
console.log(`wrote ${path}`);
