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

/** A secret as far as the record keeps it. */
export interface KeptSecret {
  /** As `hashSecret` makes it. */
  hash: string;
  /** The text by which a person knows it again. */
  prefix: string;
}

export function keptSecret(secret: string): KeptSecret {
  return { hash: hashSecret(secret), prefix: secret.slice(0, prefixLength) };
}

/** A token as the record has it: everything but its secret. */
export type Token = Awaited<ReturnType<typeof allTokens>>[number];

export interface NewToken {
  name: string;
  project: string;
  expiresAt: Date | null;
}

/** Makes a token, and its project where that is new; the secret is in the answer alone. */
export async function issueToken(db: Database, wanted: NewToken): Promise<Token & { secret: string }> {
  const secret = createSecret();
  const token = await db.transaction(tx => insertToken(tx, keptSecret(secret), wanted));
  return { ...(token as Token), secret };
}

/** Sees to it that a token with this secret exists; one that was revoked stays revoked. */
export async function ensureToken(db: Database, secret: KeptSecret, name: string): Promise<void> {
  await db.transaction(tx => insertToken(tx, secret, { name, project: 'default', expiresAt: null }));
}

/** Revokes a token; undefined where there is none that is live. */
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

/** The tokens that are not revoked, newest first. */
export async function liveTokens(db: Database): Promise<Token[]> {
  return select(db).where(isNull(tokens.revokedAt)).orderBy(desc(tokens.createdAt), desc(tokens.version));
}

export async function allTokens(db: Database) {
  return select(db);
}

/** The token that a secret belongs to, revoked and expired ones too. */
export async function tokenOfSecret(db: Database, secret: string): Promise<Token | undefined> {
  return (await select(db).where(eq(tokens.hash, hashSecret(secret))))[0];
}

/** Whether a secret is one that clients may use now. */
export async function isLiveSecret(db: Database, secret: string): Promise<boolean> {
  const live = and(
    eq(tokens.hash, hashSecret(secret)),
    isNull(tokens.revokedAt),
    or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)),
  );
  return (await db.select({ id: tokens.id }).from(tokens).where(live)).length > 0;
}

/** What the fleet must know of a token. */
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
  { hash, prefix }: KeptSecret,
  wanted: NewToken,
): Promise<Token | undefined> {
  await tx.insert(projects).values({ name: wanted.project }).onConflictDoNothing();
  const [project] = await tx.select().from(projects).where(eq(projects.name, wanted.project));
  if (!project) throw new Error('the project vanished while its token was made');
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
