import { writeFileSync } from 'node:fs';
import { dataPlane, path } from './document.ts';

writeFileSync(path, dataPlane());
