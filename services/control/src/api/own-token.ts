import { allowedModels } from '@model-gateway/access';
import type { OwnToken } from '@model-gateway/admin-api';
import { GatewayError, type Operation, operations } from '@model-gateway/canonical';
import { providerFormats } from '@model-gateway/catalog';
import type { Database } from '../database/database.ts';
import { models, providers } from '../database/tables.ts';
import { tokenOfSecret } from '../tokens.ts';
import { bearer } from './authenticate.ts';
import type { Handlers } from './routes.ts';
import { showToken } from './tokens.ts';

/** Returns a client's token and the models that it may use, to the client that holds it. */
export function showOwnToken(db: Database): Handlers['showOwnToken'] {
  return async (request, response) => {
    const token = await checkToken(db, bearer(request), new Date());
    const shown = showToken(token);
    const { id, name, project, owner, expiresAt, endpoints, allowedAddresses, limits, tags } = shown;
    const models = allowedModels(await usableModels(db), token.settings);
    response
      .set('cache-control', 'no-store')
      .json({ id, name, project, owner, expiresAt, endpoints, allowedAddresses, limits, tags, models });
  };
}

/** Checks a token, with the same error messages as every ingress. */
async function checkToken(db: Database, secret: string | undefined, now: Date) {
  if (!secret) throw new GatewayError('unauthenticated', 'No API key was provided.');
  const token = await tokenOfSecret(db, secret);
  if (!token || token.revokedAt) throw unauthenticated('Incorrect API key provided.');
  if (token.disabled) throw unauthenticated('This API key is disabled.');
  if (token.expiresAt && token.expiresAt <= now) throw unauthenticated('This API key has expired.');
  return token;
}

function unauthenticated(message: string): GatewayError {
  return new GatewayError('unauthenticated', message, { code: 'invalid_api_key' });
}

/** Lists the models of the catalog, in the order of the catalog. */
async function usableModels(db: Database): Promise<OwnToken['models']> {
  const providerRows = await db.select().from(providers);
  const providerByName = new Map(providerRows.map(({ name, data }) => [name, data]));
  const rows = await db.select().from(models).orderBy(models.position);
  return rows.map(({ name, data }) => {
    const targets = data.targets.flatMap(({ provider }) => providerByName.get(provider) ?? []);
    const formatsFor = (operation: Operation) =>
      targets.flatMap(target => providerFormats(target, operation));
    // Token counting only supports `generate`, so it is not listed.
    const isSupported = (operation: Operation) =>
      operation !== 'count-tokens' && formatsFor(operation).length > 0;
    return {
      name,
      operations: operations.filter(isSupported),
      formats: [...new Set(formatsFor('generate'))],
    };
  });
}
