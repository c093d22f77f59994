import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { passwordCharacters } from '@model-gateway/admin-api';
import { ConfigError, type Log, persistentFile, type Settings } from '@model-gateway/service';
import { eq } from 'drizzle-orm';
import { lockCatalog } from '../audit/catalog-table.ts';
import { type AuditEvent, recordEvent, withoutRequest } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import { audit, logins } from '../database/people-tables.ts';
import { editLogin } from './logins.ts';
import { type Passwords, randomPassword } from './passwords.ts';
import { ensureGroup, userGroups } from './token-groups.ts';

/** The name of the first admin. */
const firstAdmin = 'admin';

/** Returns the path of the file with the password that was made for the first admin. */
function adminPasswordFile({ GATEWAY_DATA }: Settings<'GATEWAY_DATA'>): string {
  return join(GATEWAY_DATA, 'admin-password');
}

/**
 * Makes the user `admin` an admin at the first start, with the configured password or one that is made and kept in a file. An admin
 * who was removed later is not made again. @throws ConfigError if the configured password is too short or too long
 */
export async function ensureFirstAdmin(
  db: Database,
  settings: Settings<'GATEWAY_ADMIN_PASSWORD' | 'GATEWAY_DATA'>,
  { log, passwords }: { log: Log; passwords: Passwords },
): Promise<void> {
  const { GATEWAY_ADMIN_PASSWORD: given } = settings;
  const { least, most } = passwordCharacters;
  if (given !== undefined && (given.length < least || given.length > most))
    throw new ConfigError(`GATEWAY_ADMIN_PASSWORD: must have ${least} to ${most} characters`);
  await db.transaction(async tx => {
    // Of several controls that start at once, one makes the password.
    await lockCatalog(tx);
    if (await hadAdmin(tx)) return;
    const password = given ?? makePassword(adminPasswordFile(settings), log);
    if (password === undefined) return;
    const id = await ensureGroup(tx, userGroups, firstAdmin);
    await editLogin(tx, id, { admin: true, password: await passwords.hash(password) });
    const setting = given === undefined ? 'GATEWAY_DATA' : 'GATEWAY_ADMIN_PASSWORD';
    await recordEvent(tx, withoutRequest('setting', setting), {
      action: 'createFirstAdmin',
      subject: { kind: 'user', id, name: firstAdmin },
      before: null,
      after: { role: 'admin', password: true },
    });
  });
}

/** Makes a password in a file; undefined if it cannot be written, as in a container without a folder for data. */
function makePassword(path: string, log: Log): string | undefined {
  try {
    const password = persistentFile(path, randomPassword);
    log.info({ path }, "this file has the first admin's password");
    return password;
  } catch (error) {
    log.warn({ path, err: error }, 'there is no first admin: set GATEWAY_ADMIN_PASSWORD');
    return undefined;
  }
}

/** Removes the file with the password that was made for the first admin, who has another one now. */
export function forgetMadePassword(user: string, settings: Settings<'GATEWAY_DATA'>): void {
  if (user !== firstAdmin) return;
  try {
    rmSync(adminPasswordFile(settings), { force: true });
  } catch {
    // A folder that cannot be written holds no such file of control.
  }
}

async function hadAdmin(tx: Database): Promise<boolean> {
  const now = await tx.select({ id: logins.userId }).from(logins).where(eq(logins.admin, true)).limit(1);
  if (now.length > 0) return true;
  // It is among the first acts.
  const made = eq(audit.action, 'createFirstAdmin' satisfies AuditEvent['action']);
  const acts = await tx.select({ id: audit.id }).from(audit).where(made).orderBy(audit.id).limit(1);
  return acts.length > 0;
}
