import { GatewayError } from '@model-gateway/canonical';

/** Returns Google's resource name of a model, such as `models/x` or `tunedModels/x`. */
export function resourceName(model: string): string {
  return /^(?:models|tunedModels|dynamic)\//.test(model) ? model : `models/${model}`;
}

/** Returns a model's URL path, up to the colon. @throws GatewayError for a name with `.` or `..` segments */
export function resourcePath(model: string): string {
  const segments = resourceName(model).split('/');
  if (segments.some(segment => segment === '.' || segment === '..'))
    throw new GatewayError('invalid-request', `The model name '${model}' is not valid.`, { param: 'model' });
  return `/v1beta/${segments.map(encodeURIComponent).join('/')}`;
}
