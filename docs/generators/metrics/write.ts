import { writeFileSync } from 'node:fs';
import { generated } from './generated.ts';

const { path, text } = generated();
writeFileSync(path, text);
