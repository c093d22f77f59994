import { writeFileSync } from 'node:fs';
import { consoleKinds, consolePath, page, path } from './page.ts';

writeFileSync(path, page());
writeFileSync(consolePath, consoleKinds());
