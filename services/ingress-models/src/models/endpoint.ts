import { checkModelName } from '@model-gateway/formats/client';
import { findModel, type IngressDeps, listModels } from '@model-gateway/ingress';
import { renderers } from './render.ts';
import type { ModelsRequest } from './shape.ts';

/** Returns the response body for the list or for one model, of those that the token may use. @throws GatewayError */
export function answerModels(
  { shape, credentials, query, name }: ModelsRequest,
  { access, catalog, clock }: IngressDeps,
  client: string,
): unknown {
  const now = clock.now();
  const token = access.check(access.choose(credentials(), now), now, { client });
  const renderer = renderers[shape];
  if (name === undefined) return renderer.list(listModels(catalog, token), query, catalog);
  return renderer.model(name, findModel(catalog, checkModelName(name), token).model, catalog);
}
