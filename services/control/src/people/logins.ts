import type { LoginInfo } from '@model-gateway/admin-api';
import { and, eq, getTableColumns, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import { invalidField } from '../common/invalid-fields.ts';
import type { Database } from '../database/database.ts';
import { logins } from '../database/people-tables.ts';
import { users } from '../database/tables.ts';

export type Login = typeof logins.$inferSelect & { name: string };

/** A change of a login. Absent fields stay as they are. */
export type LoginEdit = Partial<
  Pick<Login, 'email' | 'admin' | 'disabled' | 'password' | 'issuer' | 'subject'>
>;

/**
 * Finds a login by email address, or else by the name of its user; undefined if there is none. The address comes first, so that a
 * later user whose name is the address does not take its place.
 */
export async function findLogin(db: Database, user: string): Promise<Login | undefined> {
  const found = await select(db).where(
    and(
      isNull(users.deletedAt),
      or(eq(users.name, user), sql`lower(${logins.email}) = ${user.toLowerCase()}`),
    ),
  );
  return found.find(({ email }) => email?.toLowerCase() === user.toLowerCase()) ?? found[0];
}

/** Finds the login of a user at an OpenID provider; undefined if there is none. */
export async function loginOfSubject(
  db: Database,
  issuer: string,
  subject: string,
): Promise<Login | undefined> {
  const found = await select(db).where(
    and(isNull(users.deletedAt), eq(logins.issuer, issuer), eq(logins.subject, subject)),
  );
  return found[0];
}

/** Finds the login with an email address; undefined if there is none. */
export async function loginOfEmail(db: Database, email: string): Promise<Login | undefined> {
  const isSame = sql`lower(${logins.email}) = ${email.toLowerCase()}`;
  return (await select(db).where(and(isNull(users.deletedAt), isSame)))[0];
}

/** Returns the logins of users, by the id of the user. */
export async function loginsOf(db: Database, userIds: readonly string[]): Promise<Map<string, Login>> {
  if (userIds.length === 0) return new Map();
  const found = await select(db).where(inArray(logins.userId, userIds));
  return new Map(found.map(login => [login.userId, login]));
}

/** Changes the login of a user, who gets one if there is none. @throws GatewayError if another user has the email address */
export async function editLogin(tx: Database, userId: string, edit: LoginEdit): Promise<void> {
  if (edit.email) await assertFree(tx, userId, edit.email);
  await tx
    .insert(logins)
    .values({ userId, ...edit })
    .onConflictDoUpdate({ target: logins.userId, set: { userId, ...edit } });
}

export async function removeLogin(tx: Database, userId: string): Promise<boolean> {
  const removed = await tx.delete(logins).where(eq(logins.userId, userId)).returning({ id: logins.userId });
  return removed.length > 0;
}

/** Notes that a user signs in; false if the password was changed or the login disabled since it was read. */
export async function noteSignIn(tx: Database, { userId, password }: Login): Promise<boolean> {
  const isSame = sql`${logins.password} is not distinct from ${password}`;
  const noted = await tx
    .update(logins)
    .set({ lastSignInAt: sql`now()` })
    .where(and(eq(logins.userId, userId), eq(logins.disabled, false), isSame))
    .returning({ id: logins.userId });
  return noted.length > 0;
}

/** Returns a login as the API shows it. */
export function showLogin({ email, admin, disabled, password, subject, lastSignInAt }: Login): LoginInfo {
  return {
    email,
    role: admin ? 'admin' : null,
    disabled,
    password: password !== null,
    oidc: subject !== null,
    lastSignInAt: lastSignInAt?.toISOString() ?? null,
  };
}

/** An email address signs in one user alone, and is the name of no other one. */
async function assertFree(tx: Database, userId: string, email: string): Promise<void> {
  const taken = await tx
    .select({ id: users.id })
    .from(users)
    .leftJoin(logins, eq(logins.userId, users.id))
    .where(
      and(
        ne(users.id, userId),
        or(
          sql`lower(${logins.email}) = ${email.toLowerCase()}`,
          and(isNull(users.deletedAt), sql`lower(${users.name}) = ${email.toLowerCase()}`),
        ),
      ),
    );
  if (taken.length === 0) return;
  throw invalidField('email', 'is that of another user', 'email_taken');
}

function select(db: Database) {
  return db
    .select({ ...getTableColumns(logins), name: users.name })
    .from(logins)
    .innerJoin(users, eq(users.id, logins.userId));
}
