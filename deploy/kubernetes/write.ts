import { writeFileSync } from 'node:fs';
import { manifests, manifestsFile } from './manifests.ts';

writeFileSync(manifestsFile, manifests(process.env.HELM_BIN));
process.stdout.write(`wrote ${manifestsFile}\n`);
