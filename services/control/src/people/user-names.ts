import { and, eq, isNull, or, sql } from 'drizzle-orm';
import { foldName, unseen } from '../common/fold-name.ts';
import { invalidField } from '../common/invalid-fields.ts';
import type { Database } from '../database/database.ts';
import { users } from '../database/tables.ts';

/**
 * Refuses the name of a new user if it could be taken for another: with blanks at its ends, characters that are not seen, or equal to
 * that of an existing user but for case. A user who exists keeps the name. `field` is where the name is given. @throws GatewayError
 */
export async function assertUserName(tx: Database, name: string, field: string): Promise<void> {
  const isSame = and(isNull(users.deletedAt), eq(users.name, name));
  if ((await tx.select({ id: users.id }).from(users).where(isSame)).length > 0) return;
  if (name.trim() !== name) throw invalidField(field, 'must not begin or end with a blank', 'invalid_value');
  if (unseen.test(name))
    throw invalidField(field, 'must not contain characters that are not seen', 'invalid_value');
  if (await isLikeAnother(tx, name))
    throw invalidField(field, 'is that of an existing user but for its case or its look', 'name_taken');
}

/** True if an existing user has the name, but for what {@link foldName} leaves out. */
export async function isLikeAnother(tx: Database, name: string): Promise<boolean> {
  const folded = foldName(name);
  // The database compares ASCII alone by itself; its other cases depend on its locale.
  const isOther = sql`octet_length(${users.name}) <> char_length(${users.name})`;
  const isLike = or(sql`lower(btrim(${users.name})) = ${folded}`, isOther);
  const found = await tx
    .select({ name: users.name })
    .from(users)
    .where(and(isNull(users.deletedAt), isLike));
  return found.some(other => foldName(other.name) === folded);
}
