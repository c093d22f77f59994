import { randomBytes } from 'node:crypto';
import { hashSecret } from '@model-gateway/access';
import { and, eq, gt, lt, ne, or, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { logins, sessions } from '../database/people-tables.ts';
import { users } from '../database/tables.ts';
import type { Caller } from './caller.ts';
import { rolesOf } from './members.ts';

/** A session of a user who may sign in. */
export interface Session {
  hash: string;
  userId: string;
  name: string;
  isAdmin: boolean;
  endsAt: Date;
}

/** The times after which a session ends, in milliseconds: without a request, and in any case. */
export interface SessionTimes {
  idleMs: number;
  longestMs: number;
}

/** The most sessions of a user. The oldest one ends when another begins. */
export const mostSessions = 100;
/** A request is noted once in this time, or in a quarter of the idle time if that is less, in milliseconds. */
const seenEveryMs = 60_000;

/** The sessions of signed-in users. The database has the hash of each session's secret. */
export class Sessions {
  readonly #db: Database;
  readonly #times: SessionTimes;

  constructor(db: Database, times: SessionTimes) {
    this.#db = db;
    this.#times = times;
  }

  /** Begins a session, with a new secret, which is only in the returned value. */
  async begin(tx: Database, userId: string): Promise<{ secret: string; hash: string; endsAt: Date }> {
    await tx.delete(sessions).where(or(lt(sessions.endsAt, sql`now()`), lt(sessions.seenAt, this.#idle())));
    const secret = randomBytes(32).toString('base64url');
    const hash = hashSecret(secret);
    const [row] = await tx
      .insert(sessions)
      .values({ hash, userId, endsAt: sql`now() + ${seconds(this.#times.longestMs)}` })
      .returning({ endsAt: sessions.endsAt });
    if (!row) throw new Error('a row that was just written is not there');
    const newest = tx
      .select({ hash: sessions.hash })
      .from(sessions)
      .where(eq(sessions.userId, userId))
      .orderBy(sql`${sessions.createdAt} desc, ${sessions.hash}`)
      .limit(mostSessions);
    await tx
      .delete(sessions)
      .where(
        and(eq(sessions.userId, userId), sql`${sessions.hash} not in ${newest}`, ne(sessions.hash, hash)),
      );
    return { secret, hash, endsAt: row.endsAt };
  }

  /**
   * Finds the session of a secret; undefined if it has ended or its user may not sign in. The request is noted, which keeps the session
   * from being idle, unless `isRequest` is false.
   */
  async find(secret: string, isRequest = true): Promise<Session | undefined> {
    const hash = hashSecret(secret);
    const [found] = await this.#db
      .select({
        hash: sessions.hash,
        userId: sessions.userId,
        name: users.name,
        isAdmin: logins.admin,
        endsAt: sessions.endsAt,
        isStale: sql<boolean>`${sessions.seenAt} < now() - ${seconds(Math.min(seenEveryMs, this.#times.idleMs / 4))}`,
      })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .innerJoin(logins, eq(logins.userId, sessions.userId))
      .where(
        and(
          eq(sessions.hash, hash),
          gt(sessions.endsAt, sql`now()`),
          gt(sessions.seenAt, this.#idle()),
          eq(logins.disabled, false),
          sql`${users.deletedAt} is null`,
        ),
      );
    if (!found) return undefined;
    const { isStale, ...session } = found;
    if (isStale && isRequest)
      await this.#db.update(sessions).set({ seenAt: sql`now()` }).where(eq(sessions.hash, hash));
    return session;
  }

  #idle() {
    return sql`now() - ${seconds(this.#times.idleMs)}`;
  }
}

/** True if a text may be the secret of a session. */
export function isSessionSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Returns the user of a session as a caller, with the roles that the user has now. */
export async function callerOfSession(db: Database, session: Session): Promise<Caller> {
  const { userId, name, isAdmin, endsAt, hash } = session;
  const roles = (await rolesOf(db, [userId])).get(userId) ?? [];
  return {
    kind: 'user',
    id: userId,
    name,
    isAdmin,
    roles: new Map(roles.map(({ project, role }) => [project, role])),
    expiresAt: endsAt,
    session: hash,
  };
}

export async function endSession(tx: Database, hash: string): Promise<void> {
  await tx.delete(sessions).where(eq(sessions.hash, hash));
}

export async function endSessions(tx: Database, userId: string): Promise<void> {
  await tx.delete(sessions).where(eq(sessions.userId, userId));
}

function seconds(ms: number) {
  return sql`make_interval(secs => ${ms / 1_000})`;
}
