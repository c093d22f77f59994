import { allowedModels, assertModel, type Scopes } from '@model-gateway/access';
import { GatewayError } from '@model-gateway/canonical';
import type { Catalog, FoundModel, ModelRecord } from '@model-gateway/catalog';

/** Returns a model of the catalog that a token may use. @throws GatewayError of kind `not-found` or `forbidden` */
export function findModel(catalog: Catalog, name: string, scopes: Scopes, param?: string): FoundModel {
  const found = catalog.model(name);
  if (found) {
    assertModel(scopes, name, param);
    return found;
  }
  throw new GatewayError('not-found', `The model '${name}' does not exist or you do not have access to it.`, {
    ...(param !== undefined && { param }),
    code: 'model_not_found',
  });
}

/** Returns the models with exact names that a token may use: those of the catalog, and the token's own names that match a pattern. */
export function listModels(catalog: Catalog, scopes: Scopes): ModelRecord[] {
  if (!scopes.models) return catalog.models();
  return allowedModels(catalog.allModels(), scopes).filter(({ name }) => !name.includes('*'));
}
