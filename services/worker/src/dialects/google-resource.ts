import { refuse } from './generate-content/content.ts';

/** A model as the vendor names it, who has models of its own, and tuned ones. */
export function resourceName(model: string): string {
  return /^(?:models|tunedModels|dynamic)\//.test(model) ? model : `models/${model}`;
}

/** Where a model is asked, before the colon. @throws GatewayError for a name that would lead elsewhere */
export function resourcePath(model: string): string {
  const segments = resourceName(model).split('/');
  if (segments.some(segment => segment === '.' || segment === '..'))
    refuse('model', `The model's name '${model}' is not valid.`);
  return `/v1beta/${segments.map(encodeURIComponent).join('/')}`;
}
