import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The data folder of a control that has started once, without rows. Another database or other migrations make it another folder. */
export function templateFolder(): string {
  return join(root, 'node_modules/.cache/model-gateway', `control-${fingerprint()}`);
}

/** Copies the template into a data folder. If there is none, the first start creates the database, which takes seconds. */
export function copyTemplate(folder: string): void {
  const template = templateFolder();
  if (existsSync(template)) cpSync(template, folder, { recursive: true });
}

/** Hashes the sources of the template. */
function fingerprint(): string {
  const sources = [
    'services/control/migrations/meta/_journal.json',
    'services/control/src/testing/data-folder.ts',
    'node_modules/@electric-sql/pglite/package.json',
  ];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(join(root, source)));
  return hash.digest('hex').slice(0, 16);
}
