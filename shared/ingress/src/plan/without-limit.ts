import { GatewayError } from '@model-gateway/canonical';
import { type Catalog, takesNoLimit } from '@model-gateway/catalog';
import type { Candidate } from './choose-routes.ts';

/** Returns the candidates that accept a verbatim request with -1 for no token limit. @throws GatewayError if there is none */
export function withoutLimit(candidates: readonly Candidate[], field: string, catalog: Catalog): Candidate[] {
  const unlimited = candidates.filter(({ route }) => {
    const provider = catalog.provider(route.provider);
    return route.body === 'verbatim' && provider !== undefined && takesNoLimit(provider);
  });
  if (unlimited.length > 0) return unlimited;
  const message = `Invalid '${field}': expected a value of at least 1, but got -1. This model does not accept -1 as unlimited: omit '${field}'.`;
  throw new GatewayError('invalid-request', message, { param: field, code: 'integer_below_min_value' });
}
