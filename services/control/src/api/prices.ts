import { priceQuery } from '@model-gateway/admin-api';
import { projectsWithin } from '../people/caller.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { scopeIn } from './admitted.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';

/** Lists the prices in force. */
export function showPrices(prices: PriceBook): Handlers['showPrices'] {
  return async (request, response) => {
    const { project, model } = parseQuery(priceQuery, request.query);
    projectsWithin(scopeIn(response), project);
    response.json({ data: await prices.list(project, model) });
  };
}
