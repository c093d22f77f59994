import { GatewayError, type Operation, operations, type WireFormat } from '@model-gateway/canonical';
import { providerFormats } from '@model-gateway/catalog';
import type { RequestHandler } from 'express';
import type { Database } from '../database/database.ts';
import { models, providers } from '../database/tables.ts';
import { tokenOfSecret } from '../tokens.ts';
import { bearer } from './authenticate.ts';

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

/** A model as those who may use it are told of it. */
export interface UsableModel {
  /** With a `*`, every name that matches. */
  name: string;
  /** What its upstreams can be asked for. */
  operations: Operation[];
  /** What its upstreams speak where they generate; it may be asked in any format. */
  formats: WireFormat[];
}

/** The models that tokens may use, in the order of the catalog. */
async function usableModels(db: Database): Promise<UsableModel[]> {
  const known = await db.select().from(providers);
  const speakers = new Map(known.map(({ name, data }) => [name, data]));
  const rows = await db.select().from(models).orderBy(models.position);
  return rows.map(({ name, data }) => {
    const targets = data.targets.flatMap(({ provider }) => speakers.get(provider) ?? []);
    const formatsFor = (operation: Operation) =>
      targets.flatMap(speaker => providerFormats(speaker, operation));
    // To count is no purpose of its own.
    const able = (operation: Operation) => operation !== 'count-tokens' && formatsFor(operation).length > 0;
    return {
      name,
      operations: operations.filter(able),
      formats: [...new Set(formatsFor('generate'))],
    };
  });
}
