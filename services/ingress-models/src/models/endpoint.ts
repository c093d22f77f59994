import { GatewayError } from '@model-gateway/canonical';
import { checkModelName, type IngressDeps } from '@model-gateway/ingress';
import { renderers } from './render.ts';
import type { ModelsRequest } from './shape.ts';

/** Returns the response body for the list or for one model. @throws GatewayError */
export function answerModels(
  { shape, credential, query, name }: ModelsRequest,
  { access, catalog }: IngressDeps,
): unknown {
  access.check(credential(), Date.now());
  const renderer = renderers[shape];
  if (name === undefined) return renderer.list(catalog.models(), query);
  const found = catalog.model(checkModelName(name));
  if (!found)
    throw new GatewayError('not-found', `The model '${name}' does not exist.`, { code: 'model_not_found' });
  return renderer.model(name, found.model);
}
