import { createSecret, hashSecret, tokenKey } from '@model-gateway/access';
import { and, eq, getTableColumns, gt, inArray, isNull, sql } from 'drizzle-orm';
import { recordEvent, withoutRequest } from '../audit/record.ts';
import type { Change } from '../common/change.ts';
import type { Database } from '../database/database.ts';
import {
  nextVersion,
  previousSecrets,
  projects,
  type TokenSettings,
  tokens,
  users,
} from '../database/tables.ts';
import { ensureGroup, projectGroups, userGroups } from '../people/token-groups.ts';
import { assertUserName } from '../people/user-names.ts';

const { projectId: _, ownerId: __, accountId: ___, ...ofToken } = getTableColumns(tokens);
/** The columns of a token, of which those of its project and owner are joined. */
export const tokenColumns = { ...ofToken, project: projects.name, owner: users.name };

const prefixLength = 11;
/** The number of hex digits of the hash in the prefix of a token whose secret is unknown. */
const prefixDigits = 8;

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

/** Returns the stored part of a secret of which only the SHA-256 is known, in hex. */
export function storedDigest(digest: string): StoredSecret {
  const hex = digest.toLowerCase();
  return {
    hash: Buffer.from(hex, 'hex').toString('base64url'),
    prefix: `sha256:${hex.slice(0, prefixDigits)}`,
  };
}

/** A token as stored: everything but its secret. */
export type Token = Awaited<ReturnType<typeof allTokens>>[number];

/** A secret that a token had before it was rotated. */
export type PreviousSecret = typeof previousSecrets.$inferSelect;

/** A token to be created. */
export interface RequestedToken {
  name: string;
  project: string;
  /** Name of a user; null for none. */
  owner?: string | null;
  /** Id of the service account that makes it; absent for another caller. */
  account?: string;
  expiresAt: Date | null;
  /** True while it may not be used; false if absent. */
  disabled?: boolean;
  settings?: TokenSettings;
}

/** A change of a token. Absent fields stay as they are; a setting that is null is removed. */
export interface TokenEdit
  extends Partial<Pick<RequestedToken, 'name' | 'project' | 'owner' | 'expiresAt' | 'disabled'>> {
  settings?: { [Name in keyof TokenSettings]: TokenSettings[Name] | null };
}

/** Creates a token with a new secret, which is only in the returned value. */
export async function issueToken(db: Database, wanted: RequestedToken): Promise<Token & { secret: string }> {
  const secret = createSecret();
  const token = await importToken(db, storedSecret(secret), wanted);
  return { ...(token as Token), secret };
}

/** Creates a token, its project and its owner if those are new; undefined if there is a token with this secret. */
export async function importToken(
  db: Database,
  secret: StoredSecret,
  wanted: RequestedToken,
): Promise<Token | undefined> {
  return db.transaction(async tx => {
    if (await isKnown(tx, secret.hash)) return undefined;
    return (await insertToken(tx, secret, wanted)) ? tokenOfHash(tx, secret.hash) : undefined;
  });
}

/** Creates the token of a setting, with this secret, unless it exists. A revoked one stays revoked. */
export async function ensureToken(db: Database, secret: StoredSecret, name: string): Promise<void> {
  await db.transaction(async tx => {
    const token = await importToken(tx, secret, { name, project: 'default', expiresAt: null });
    if (!token) return;
    const { id, project, prefix } = token;
    await recordEvent(tx, withoutRequest('setting', 'GATEWAY_FIRST_TOKEN'), {
      action: 'createFirstToken',
      subject: { kind: 'token', id, name },
      project,
      before: null,
      after: { name, project, prefix },
    });
  });
}

/** Changes a token and returns it; undefined if there is no such live token. */
export async function editToken(db: Database, id: string, edit: TokenEdit): Promise<Token | undefined> {
  return db.transaction(async tx => {
    if (!(await liveToken(tx, id))) return undefined;
    const { project, owner, settings, ...rest } = edit;
    const values = {
      ...rest,
      ...(project !== undefined && { projectId: await ensureGroup(tx, projectGroups, project) }),
      ...(owner !== undefined && { ownerId: await userId(tx, owner) }),
      ...(settings && {
        settings: sql`jsonb_strip_nulls(${tokens.settings} || ${JSON.stringify(settings)}::jsonb)`,
      }),
      version: nextVersion,
    };
    await tx.update(tokens).set(values).where(isLive(id));
    return liveToken(tx, id);
  });
}

/** Revokes a token and returns it; undefined if there is no such live token. */
export async function revokeToken(db: Database, id: string): Promise<Token | undefined> {
  return db.transaction(async tx => {
    const token = await liveToken(tx, id);
    if (!token) return undefined;
    await tx.update(tokens).set({ revokedAt: sql`now()`, version: nextVersion }).where(isLive(id));
    return (await select(tx).where(eq(tokens.id, id)))[0];
  });
}

/** Lists the tokens of an owner that are not revoked, in one project or in all of them. */
export async function tokensOwnedBy(
  db: Database,
  { userId, projectId }: { userId: string; projectId?: string },
): Promise<Token[]> {
  const inProject = projectId === undefined ? undefined : eq(tokens.projectId, projectId);
  return select(db).where(and(eq(tokens.ownerId, userId), inProject, isNull(tokens.revokedAt)));
}

async function allTokens(db: Database) {
  return select(db);
}

/** Finds the token of a secret, even if it is revoked, disabled or expired. A previous secret finds it while it is valid. */
export async function tokenOfSecret(db: Database, secret: string): Promise<Token | undefined> {
  const hash = hashSecret(secret);
  const [token] = await select(db).where(eq(tokens.hash, hash));
  if (token) return token;
  const valid = and(eq(previousSecrets.hash, hash), gt(previousSecrets.validUntil, sql`now()`));
  const ids = db.select({ id: previousSecrets.tokenId }).from(previousSecrets).where(valid);
  return (await select(db).where(inArray(tokens.id, ids)))[0];
}

/** True if a token may be used at this time. */
export function isUsable({ revokedAt, disabled, expiresAt }: Token, now: Date): boolean {
  return !revokedAt && !disabled && !(expiresAt && expiresAt <= now);
}

/** Returns the changes that publish a token in KV, one for each of its secrets. */
export async function tokenChanges(db: Database, token: Token): Promise<Change[]> {
  const previous = await db.select().from(previousSecrets).where(eq(previousSecrets.tokenId, token.id));
  return secretChanges(token, previous);
}

/** Returns the changes that publish every token in KV. */
export async function allTokenChanges(db: Database): Promise<Change[]> {
  // Read in this order: a token that is rotated in between is then published with a lower version, which KV ignores.
  const all = await allTokens(db);
  const previous = Map.groupBy(await db.select().from(previousSecrets), ({ tokenId }) => tokenId);
  return all.flatMap(token => secretChanges(token, previous.get(token.id) ?? []));
}

function secretChanges(token: Token, previous: readonly PreviousSecret[]): Change[] {
  const end = token.expiresAt?.getTime() ?? null;
  const ended = ({ validUntil }: PreviousSecret) =>
    Math.min(validUntil.getTime(), end ?? Number.POSITIVE_INFINITY);
  return [
    secretChange(token, token.hash, end),
    ...previous.map(secret => secretChange(token, secret.hash, ended(secret), isOver(secret))),
  ];
}

/** The most that the clocks of the database and of this process may differ, in milliseconds. */
const clockMs = 500;

/** True if a previous secret's time is over: it is then revoked, whatever the clock of an ingress says. */
function isOver({ validUntil }: PreviousSecret): boolean {
  return validUntil.getTime() <= Date.now() + clockMs;
}

/**
 * Returns the change that publishes a secret; `expiresAt` in milliseconds since 1970, null for never. `isOver`: true for a secret
 * that may not be used any more.
 */
function secretChange(token: Token, hash: string, expiresAt: number | null, isOver = false): Change {
  const { version, id, name, project, owner, disabled, revokedAt, settings } = token;
  const revoked = isOver || revokedAt !== null;
  // Every ingress holds a revoked token for good.
  const { tags, ...scopes } = revoked ? {} : settings;
  return {
    bucket: 'access',
    key: tokenKey(hash),
    value: {
      version,
      id,
      name,
      project,
      expiresAt,
      revoked,
      ...(disabled && { disabled }),
      ...(owner !== null && { owner }),
      ...(tags && Object.keys(tags).length > 0 && { tags }),
      ...scopes,
    },
  };
}

async function insertToken(tx: Database, { hash, prefix }: StoredSecret, wanted: RequestedToken) {
  const { name, owner = null, expiresAt, disabled = false, settings = {} } = wanted;
  const rows = await tx
    .insert(tokens)
    .values({
      projectId: await ensureGroup(tx, projectGroups, wanted.project),
      ownerId: await userId(tx, owner),
      accountId: wanted.account,
      name,
      hash,
      prefix,
      expiresAt,
      disabled,
      settings,
    })
    .onConflictDoNothing()
    .returning({ id: tokens.id });
  return rows.length > 0;
}

async function userId(tx: Database, name: string | null): Promise<string | null> {
  if (name === null) return null;
  await assertUserName(tx, name, 'owner');
  return ensureGroup(tx, userGroups, name);
}

async function isKnown(tx: Database, hash: string): Promise<boolean> {
  const found = await tx.select().from(previousSecrets).where(eq(previousSecrets.hash, hash));
  return found.length > 0;
}

async function tokenOfHash(tx: Database, hash: string): Promise<Token | undefined> {
  return (await select(tx).where(eq(tokens.hash, hash)))[0];
}

/** Returns a token that is not revoked; undefined if there is none with this id. */
export async function liveToken(tx: Database, id: string): Promise<Token | undefined> {
  return (await select(tx).where(isLive(id)))[0];
}

/** Returns a token that is not revoked, and locks it until the transaction ends. */
export async function lockToken(tx: Database, id: string): Promise<Token | undefined> {
  await tx.select({ id: tokens.id }).from(tokens).where(isLive(id)).for('update');
  return liveToken(tx, id);
}

export function isLive(id: string) {
  return and(eq(tokens.id, id), isNull(tokens.revokedAt));
}

function select(db: Database) {
  return db
    .select(tokenColumns)
    .from(tokens)
    .innerJoin(projects, eq(projects.id, tokens.projectId))
    .leftJoin(users, eq(users.id, tokens.ownerId));
}
