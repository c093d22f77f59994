import { createSecret, hashSecret, tokenKey } from '@model-gateway/access';
import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Change } from './change.ts';
import type { Database } from './database/database.ts';
import { nextVersion, projects, tokens } from './database/tables.ts';

const columns = {
  id: tokens.id,
  name: tokens.name,
  project: projects.name,
  hash: tokens.hash,
  prefix: tokens.prefix,
  createdAt: tokens.createdAt,
  expiresAt: tokens.expiresAt,
  revokedAt: tokens.revokedAt,
  version: tokens.version,
};

const prefixLength = 11;

/** The stored part of a token's secret. */
export interface StoredSecret {
  /** The result of `hashSecret`. */
  hash: string;
  /** The start of the secret or of its hash, for people to identify it. */
  prefix: string;
}

export function storedSecret(secret: string): StoredSecret {
  return { hash: hashSecret(secret), prefix: secret.slice(0, prefixLength) };
}

/** A token as stored: everything but its secret. */
export type Token = Awaited<ReturnType<typeof allTokens>>[number];

/** A token to be created. */
export interface WantedToken {
  name: string;
  project: string;
  expiresAt: Date | null;
}

/** Creates a token, and its project if that is new. The secret is only in the returned value. */
export async function issueToken(db: Database, wanted: WantedToken): Promise<Token & { secret: string }> {
  const secret = createSecret();
  const token = await db.transaction(tx => insertToken(tx, storedSecret(secret), wanted));
  return { ...(token as Token), secret };
}

/** Creates a token with this secret unless it exists. A revoked one stays revoked. */
export async function ensureToken(db: Database, secret: StoredSecret, name: string): Promise<void> {
  await db.transaction(tx => insertToken(tx, secret, { name, project: 'default', expiresAt: null }));
}

/** Revokes a token and returns it; undefined if there is no such live token. */
export async function revokeToken(db: Database, id: string): Promise<Token | undefined> {
  return db.transaction(async tx => {
    const [revoked] = await tx
      .update(tokens)
      .set({ revokedAt: sql`now()`, version: nextVersion })
      .where(and(eq(tokens.id, id), isNull(tokens.revokedAt)))
      .returning({ id: tokens.id });
    if (!revoked) return undefined;
    return (await select(tx).where(eq(tokens.id, id)))[0];
  });
}

/** Lists the tokens that are not revoked, newest first. */
export async function liveTokens(db: Database): Promise<Token[]> {
  return select(db).where(isNull(tokens.revokedAt)).orderBy(desc(tokens.createdAt), desc(tokens.version));
}

export async function allTokens(db: Database) {
  return select(db);
}

/** Finds the token of a secret, even if it is revoked or expired. */
export async function tokenOfSecret(db: Database, secret: string): Promise<Token | undefined> {
  return (await select(db).where(eq(tokens.hash, hashSecret(secret))))[0];
}

/** True if a secret belongs to a token that is neither revoked nor expired. */
export async function isLiveSecret(db: Database, secret: string): Promise<boolean> {
  const live = and(
    eq(tokens.hash, hashSecret(secret)),
    isNull(tokens.revokedAt),
    or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)),
  );
  return (await db.select({ id: tokens.id }).from(tokens).where(live)).length > 0;
}

/** Returns the change that publishes a token in KV. */
export function tokenChange(token: Token): Change {
  const { version, id, name, project, expiresAt, revokedAt } = token;
  return {
    bucket: 'access',
    key: tokenKey(token.hash),
    value: {
      version,
      id,
      name,
      project,
      expiresAt: expiresAt?.getTime() ?? null,
      revoked: revokedAt !== null,
    },
  };
}

async function insertToken(
  tx: Database,
  { hash, prefix }: StoredSecret,
  wanted: WantedToken,
): Promise<Token | undefined> {
  await tx.insert(projects).values({ name: wanted.project }).onConflictDoNothing();
  const [project] = await tx.select().from(projects).where(eq(projects.name, wanted.project));
  if (!project) throw new Error('the project was deleted while its token was created');
  await tx
    .insert(tokens)
    .values({
      projectId: project.id,
      name: wanted.name,
      hash,
      prefix,
      expiresAt: wanted.expiresAt,
    })
    .onConflictDoNothing();
  return (await select(tx).where(eq(tokens.hash, hash)))[0];
}

function select(db: Database) {
  return db.select(columns).from(tokens).innerJoin(projects, eq(projects.id, tokens.projectId));
}
