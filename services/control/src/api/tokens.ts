import type { IssuedToken, TokenInfo } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { nothingChanged } from '../bus-unreachable.ts';
import type { Database } from '../database/database.ts';
import type { Projector } from '../projector.ts';
import { rotateToken } from '../token-rotation.ts';
import {
  editToken,
  importToken,
  issueToken,
  liveTokens,
  revokeToken,
  storedDigest,
  type Token,
  tokenChanges,
  type WantedToken,
} from '../tokens.ts';
import type { Handlers } from './routes.ts';
import { parseNewToken, parseRotation, parseTokenChange } from './token-request.ts';

type TokenHandlers = Pick<
  Handlers,
  'listTokens' | 'createToken' | 'changeToken' | 'rotateToken' | 'revokeToken'
>;

/** The handlers for tokens. A change is confirmed only once KV has it. */
export function tokenHandlers(db: Database, projector: Projector): TokenHandlers {
  /** Publishes a changed token, and returns it. @throws GatewayError if there was no live token to change */
  const publish = async <Changed extends Token>(token: Changed | undefined): Promise<Changed> => {
    if (token) await projector.send(await tokenChanges(db, token));
    else await projector.assertCurrent();
    if (!token) throw new GatewayError('not-found', 'There is no such token.', { code: 'token_not_found' });
    return token;
  };

  return {
    async listTokens(_request, response) {
      response.json({ data: (await liveTokens(db)).map(showToken) });
    },

    async createToken(request, response) {
      const { sha256, ...wanted } = parseNewToken(request.body, new Date());
      await projector.assertCurrent();
      const { secret = null, ...token } =
        sha256 === undefined ? await issueToken(db, wanted) : await imported(db, sha256, wanted);
      try {
        await projector.send(await tokenChanges(db, token));
      } catch (error) {
        // Without its secret, which the client never got, the token must not become valid once NATS is back.
        if (secret === null) throw error;
        await revokeToken(db, token.id);
        throw nothingChanged();
      }
      response.status(201).set('cache-control', 'no-store').json(showIssued(token, secret));
    },

    async changeToken(request, response) {
      const edit = parseTokenChange(request.body, new Date());
      const id = idOf(request.params);
      response.json(showToken(await publish(await editToken(db, id, edit))));
    },

    async rotateToken(request, response) {
      const graceSeconds = parseRotation(request.body);
      const id = idOf(request.params);
      await projector.assertCurrent();
      const rotated = await rotateToken(db, id, graceSeconds);
      const { secret, ...token } = await publish(rotated?.token).catch(async error => {
        if (!rotated) throw error;
        // The client never got the new secret, so the earlier ones must work on.
        const restored = await rotated.undo();
        if (restored) void projector.send(await tokenChanges(db, restored)).catch(() => {});
        throw nothingChanged();
      });
      response.set('cache-control', 'no-store').json(showIssued(token, secret));
    },

    async revokeToken(request, response) {
      const id = idOf(request.params);
      // It takes effect before KV has it: it is announced to all followers even while KV cannot be written.
      await publish(await revokeToken(db, id));
      response.status(204).end();
    },
  };
}

/** Creates a token for an existing secret. @throws GatewayError if there is one already */
async function imported(
  db: Database,
  sha256: string,
  wanted: WantedToken,
): Promise<Token & { secret?: undefined }> {
  const token = await importToken(db, storedDigest(sha256), wanted);
  if (token) return token;
  throw new GatewayError('invalid-request', 'sha256: is that of a token that exists or was revoked.', {
    param: 'sha256',
    code: 'token_exists',
  });
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The id of no token. */
const nil = '00000000-0000-0000-0000-000000000000';

/** Returns the token's id of a path: that of no token if it cannot be one. */
function idOf({ id = '' }: Record<string, string>): string {
  return uuid.test(id) ? id : nil;
}

/** Returns a token as the API shows it. */
export function showToken({ id, name, project, prefix, createdAt, expiresAt, ...token }: Token): TokenInfo {
  const { models, endpoints, allowedAddresses, limits, budget, tags } = token.settings;
  return {
    id,
    name,
    project,
    owner: token.owner,
    prefix,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    disabled: token.disabled,
    models: list(models),
    endpoints: list(endpoints),
    allowedAddresses: list(allowedAddresses),
    limits: limits ?? null,
    budget: budget ?? null,
    tags: tags ?? {},
  };
}

function showIssued(token: Token, secret: string | null): IssuedToken {
  return { ...showToken(token), token: secret };
}

function list<Entry>(entries: readonly Entry[] | null | undefined): Entry[] | null {
  return entries ? [...entries] : null;
}
