import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog } from '@model-gateway/service';
import { openDatabase } from '../database/open.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Creates a data folder with an embedded database, copied from a cached template: creating a database takes seconds. */
export async function newDataFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'control-'));
  template ??= makeTemplate();
  cpSync(await template, folder, { recursive: true });
  return folder;
}

let template: Promise<string> | undefined;

async function makeTemplate(): Promise<string> {
  const cache = join(root, 'node_modules/.cache/model-gateway');
  const made = join(cache, `control-${fingerprint()}`);
  if (statSync(made, { throwIfNoEntry: false })) return made;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(`${made}-`);
  const database = await openDatabase({ GATEWAY_DATA: draft }, createLog('control', 'silent'));
  await database.close();
  try {
    renameSync(draft, made);
  } catch {
    // Another test file has created it meanwhile.
    rmSync(draft, { recursive: true, force: true });
  }
  return made;
}

/** Hashes the sources of the template. */
function fingerprint(): string {
  const sources = [
    'services/control/migrations/meta/_journal.json',
    'node_modules/@electric-sql/pglite/package.json',
  ];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(join(root, source)));
  return hash.digest('hex').slice(0, 16);
}
