import { writeFileSync } from 'node:fs';
import { page, path } from './page.ts';

writeFileSync(path, page());
