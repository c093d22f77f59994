import { GatewayError } from '@model-gateway/canonical';
import type { RequestHandler } from 'express';
import type { Database } from '../database/database.ts';
import type { Projector } from '../projector.ts';
import { issueToken, liveTokens, revokeToken, type Token, tokenChange } from '../tokens.ts';
import { parseNewToken } from './token-request.ts';

interface TokenRoutes {
  list: RequestHandler;
  create: RequestHandler;
  revoke: RequestHandler<{ id: string }>;
}

/** The routes for tokens. A change is confirmed only once KV has it. */
export function tokenRoutes(db: Database, projector: Projector): TokenRoutes {
  return {
    async list(_request, response) {
      response.json({ data: (await liveTokens(db)).map(show) });
    },

    async create(request, response) {
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

    async revoke(request, response) {
      const { id } = request.params;
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

function show({ id, name, project, prefix, createdAt, expiresAt }: Token) {
  return {
    id,
    name,
    project,
    prefix,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
