import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLog } from '@model-gateway/service';
import { openDatabase } from '../database/open.ts';
import { copyTemplate, templateFolder } from './database-template.ts';

/** Creates a data folder with an embedded database, copied from a cached template: creating a database takes seconds. */
export async function newDataFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'control-'));
  template ??= makeTemplate();
  await template;
  copyTemplate(folder);
  return folder;
}

let template: Promise<void> | undefined;

/** Makes the template, unless it is cached. */
export async function makeTemplate(): Promise<void> {
  const made = templateFolder();
  if (existsSync(made)) return;
  mkdirSync(dirname(made), { recursive: true });
  const draft = mkdtempSync(`${made}-`);
  const database = await openDatabase({ GATEWAY_DATA: draft }, createLog('control', 'silent'));
  await database.close();
  // The two databases that new ones are copied from are half of all files, and are not needed: none is created here.
  for (const id of [1, 4]) emptyFolder(join(draft, 'control/base', String(id)));
  try {
    renameSync(draft, made);
  } catch {
    // Another test file has created it meanwhile.
    rmSync(draft, { recursive: true, force: true });
  }
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) if (name !== 'PG_VERSION') rmSync(join(folder, name));
}
