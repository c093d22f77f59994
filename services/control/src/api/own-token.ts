import { allowedModels, assertUse } from '@model-gateway/access';
import type { OwnToken } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Price } from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import { type AskLeft, leftOf } from '../budgets/left.ts';
import { readAllEntries } from '../catalog/entries.ts';
import { supportBy } from '../catalog/support.ts';
import type { Database } from '../database/database.ts';
import type { CredentialChecks } from '../people/credential-checks.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { tokenOfSecret } from '../tokens/tokens.ts';
import { originOf } from './admitted.ts';
import { bearer } from './authenticate.ts';
import type { Handlers } from './routes.ts';
import { showToken } from './token-view.ts';

interface OwnTokenParts {
  db: Database;
  checks: CredentialChecks;
  prices: PriceBook;
  askLeft: AskLeft;
  clock: Clock;
}

/** Returns a client's token and the models that it may use, to the client that holds it. */
export function showOwnToken({
  db,
  checks,
  prices,
  askLeft,
  clock,
}: OwnTokenParts): Handlers['showOwnToken'] {
  return async (request, response) => {
    const { address: client } = originOf(response);
    const secret = bearer(request);
    const token = await checks.run(client, secret, () => checkToken(db, secret, new Date(clock.now())));
    assertUse(token.settings, { client });
    const { prefix: _, createdAt: __, lastUsedAt: ___, disabled: ____, ...own } = showToken(token);
    const left = await leftOf(db, token, askLeft);
    const allowed = allowedModels(await usableModels(db), token.settings);
    const models = await Promise.all(
      allowed.map(async model => ({ ...model, price: await priceOf(prices, own.project, model.name) })),
    );
    response.set('cache-control', 'no-store').json({ ...own, ...left, models });
  };
}

/** Returns the price of a model; null if it is unknown, or if the name stands for several models. */
async function priceOf(prices: PriceBook, project: string, model: string): Promise<Price | null> {
  return model.includes('*') ? null : ((await prices.priceOf(project, model)) ?? null);
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
async function usableModels(db: Database): Promise<Omit<OwnToken['models'][number], 'price'>[]> {
  const entries = await readAllEntries(db);
  const support = supportBy(entries);
  return [...entries.models, ...entries.discovered].map(({ name, data }) => {
    const { operations, formats } = support(data);
    const providers = [...new Set(data.targets.map(({ provider }) => provider))];
    return { name, context: data.limits.context ?? null, operations, providers, formats };
  });
}
