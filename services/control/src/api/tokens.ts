import type { TokenInfo } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Database } from '../database/database.ts';
import type { Projector } from '../projector.ts';
import { issueToken, liveTokens, revokeToken, type Token, tokenChange } from '../tokens.ts';
import type { Handlers } from './routes.ts';
import { parseNewToken } from './token-request.ts';

/** The handlers for tokens. A change is confirmed only once KV has it. */
export function tokenHandlers(
  db: Database,
  projector: Projector,
): Pick<Handlers, 'listTokens' | 'createToken' | 'revokeToken'> {
  return {
    async listTokens(_request, response) {
      response.json({ data: (await liveTokens(db)).map(show) });
    },

    async createToken(request, response) {
      const wanted = parseNewToken(request.body, new Date());
      await projector.assertCurrent();
      const { secret, ...token } = await issueToken(db, wanted);
      try {
        await projector.send([tokenChange(token)]);
      } catch (error) {
        // The client never got the secret, so the token must not become valid once NATS is back.
        await revokeToken(db, token.id);
        throw error;
      }
      response
        .status(201)
        .set('cache-control', 'no-store')
        .json({ ...show(token), token: secret });
    },

    async revokeToken(request, response) {
      const { id = '' } = request.params;
      // It takes effect before KV has it: it is announced to all followers even while KV cannot be written.
      const revoked = uuid.test(id) ? await revokeToken(db, id) : undefined;
      if (revoked) await projector.send([tokenChange(revoked)]);
      else await projector.assertCurrent();
      if (!revoked)
        throw new GatewayError('not-found', 'There is no such token.', { code: 'token_not_found' });
      response.status(204).end();
    },
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function show({ id, name, project, prefix, createdAt, expiresAt }: Token): TokenInfo {
  return {
    id,
    name,
    project,
    prefix,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
