import { GatewayError } from '@model-gateway/canonical';
import type { Settings } from '@model-gateway/service';
import { and, count, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { invalidField } from '../common/invalid-fields.ts';
import type { Database } from '../database/database.ts';
import { previousSecrets, type TokenSettings, tokens } from '../database/tables.ts';
import { lockAccount } from '../people/accounts.ts';
import { lockGroup, projectGroups, userGroups } from '../people/token-groups.ts';

/** The bounds of tokens that are made by others than admins. Every ingress holds all tokens in memory. */
export interface TokenBounds {
  /** The most tokens of a project that are not revoked, and the most without an owner that a service account makes. */
  ofProject: number;
  /** The most tokens of an owner that are not revoked. */
  ofOwner: number;
  /** The most bytes of a token's scopes, limits, budget and tags as JSON. */
  scopeBytes: number;
}

/** The settings of the bounds. */
export const tokenBoundSettings = [
  'GATEWAY_TOKENS_OF_PROJECT',
  'GATEWAY_TOKENS_OF_OWNER',
  'GATEWAY_SCOPE_BYTES',
] as const;

export function tokenBounds(settings: Settings<(typeof tokenBoundSettings)[number]>): TokenBounds {
  return {
    ofProject: settings.GATEWAY_TOKENS_OF_PROJECT,
    ofOwner: settings.GATEWAY_TOKENS_OF_OWNER,
    scopeBytes: settings.GATEWAY_SCOPE_BYTES,
  };
}

/** The most earlier secrets of a token that work. */
export const mostEarlierSecrets = 10;

/** The holders of a token, whose numbers of tokens are bounded. */
interface TokenHolders {
  project: string;
  owner: string | null;
  /** Id of the service account that puts it there; absent for another caller. */
  account?: string | undefined;
}

/**
 * Checks that a project and an owner may have one token more, or a service account if it has no owner, and locks them until the
 * transaction ends. `before`: the place of a token that is moved.
 * @throws GatewayError of kind `quota-exceeded`
 */
export async function assertRoomForToken(
  tx: Database,
  { ofProject, ofOwner }: Pick<TokenBounds, 'ofProject' | 'ofOwner'>,
  { project, owner, account }: TokenHolders,
  before?: TokenHolders,
): Promise<void> {
  if (owner !== null && owner !== before?.owner) {
    const found = await lockGroup(tx, userGroups, owner);
    const held = found ? await numberOf(tx, eq(tokens.ownerId, found.id)) : 0;
    if (held >= ofOwner)
      throw tooMany(`'${owner}' owns ${held} tokens`, `an owner may have ${ofOwner}`, {
        param: 'owner',
        setting: 'GATEWAY_TOKENS_OF_OWNER',
      });
  }
  if (project !== before?.project) {
    const found = await lockGroup(tx, projectGroups, project);
    const held = found ? await numberOf(tx, eq(tokens.projectId, found.id)) : 0;
    if (held >= ofProject)
      throw tooMany(`The project '${project}' has ${held} tokens`, `a project may have ${ofProject}`, {
        param: 'project',
        setting: 'GATEWAY_TOKENS_OF_PROJECT',
      });
  }
  if (account === undefined || owner !== null || before?.owner === null) return;
  await lockAccount(tx, account);
  const held = await numberOf(tx, and(eq(tokens.accountId, account), isNull(tokens.ownerId)));
  if (held >= ofProject)
    throw tooMany(
      `This service account has made ${held} tokens without an owner`,
      `it may make ${ofProject}, as many as a project may have`,
      { param: 'owner', setting: 'GATEWAY_TOKENS_OF_PROJECT' },
    );
}

async function numberOf(tx: Database, which: SQL | undefined): Promise<number> {
  const [row] = await tx
    .select({ held: count() })
    .from(tokens)
    .where(and(which, isNull(tokens.revokedAt)));
  return row?.held ?? 0;
}

function tooMany(
  what: string,
  bound: string,
  { param, setting }: { param: string; setting: string },
): GatewayError {
  const message = `${what}, and ${bound}. Revoke some, or ask an admin to create it or to raise ${setting}.`;
  return new GatewayError('quota-exceeded', message, { param, code: 'too_many_tokens' });
}

/**
 * Checks the size of a token's settings. Settings that are as large as before, or smaller, are not refused.
 * @throws GatewayError that names the largest of them
 */
export function assertScopeBytes(
  { scopeBytes }: Pick<TokenBounds, 'scopeBytes'>,
  settings: TokenSettings,
  before: TokenSettings = {},
): void {
  const bytes = bytesOf(settings);
  if (bytes <= scopeBytes || bytes <= bytesOf(before)) return;
  const [[largest = 'models'] = []] = Object.entries(settings).toSorted(
    ([, one], [, other]) => bytesOf(other) - bytesOf(one),
  );
  const reason = `makes the models, endpoints, addresses, limits and tags of the token ${bytes} bytes as JSON, and ${scopeBytes} are allowed; ask an admin to set them or to raise GATEWAY_SCOPE_BYTES`;
  throw invalidField(largest, reason, 'scopes_too_large');
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Checks that a token may keep one more secret beside its new one. @throws GatewayError of kind `quota-exceeded` */
export async function assertRoomForSecret(tx: Database, tokenId: string): Promise<void> {
  const valid = and(eq(previousSecrets.tokenId, tokenId), gt(previousSecrets.validUntil, sql`now()`));
  const [row] = await tx.select({ held: count() }).from(previousSecrets).where(valid);
  if ((row?.held ?? 0) < mostEarlierSecrets) return;
  const message = `The token has ${mostEarlierSecrets} earlier secrets that still work, which is the most. Rotate it without a grace period to end them, or wait until one has ended.`;
  throw new GatewayError('quota-exceeded', message, { param: 'graceSeconds', code: 'too_many_secrets' });
}
