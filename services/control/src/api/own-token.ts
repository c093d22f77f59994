import { GatewayError } from '@model-gateway/canonical';
import type { RequestHandler } from 'express';
import type { Database } from '../database/database.ts';
import { tokenOfSecret } from '../tokens.ts';
import { bearer } from './authenticate.ts';
import { usableModels } from './usable-models.ts';

/** Tells whoever holds a client's token what it is and what it may use. */
export function ownToken(db: Database): RequestHandler {
  return async (request, response) => {
    const { id, name, project, expiresAt } = await checkToken(db, bearer(request), new Date());
    const models = await usableModels(db);
    response
      .set('cache-control', 'no-store')
      .json({ id, name, project, expiresAt: expiresAt?.toISOString() ?? null, models });
  };
}

/** Refuses in the words in which every ingress does. */
async function checkToken(db: Database, secret: string | undefined, now: Date) {
  if (!secret) throw new GatewayError('unauthenticated', 'No API key was provided.');
  const token = await tokenOfSecret(db, secret);
  if (!token || token.revokedAt) throw refused('Incorrect API key provided.');
  if (token.expiresAt && token.expiresAt <= now) throw refused('This API key has expired.');
  return token;
}

function refused(message: string): GatewayError {
  return new GatewayError('unauthenticated', message, { code: 'invalid_api_key' });
}
