import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog } from '@model-gateway/service';
import { openDatabase } from '../database/database.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A data folder with an embedded database in it, copied from one that is made once: making one takes seconds. */
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
    // Another test file was first.
    rmSync(draft, { recursive: true, force: true });
  }
  return made;
}

/** Of all that the template is made from. */
function fingerprint(): string {
  const sources = [
    'services/control/migrations/meta/_journal.json',
    'node_modules/@electric-sql/pglite/package.json',
  ];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(join(root, source)));
  return hash.digest('hex').slice(0, 16);
}
