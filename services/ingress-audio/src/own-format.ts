import { GatewayError } from '@model-gateway/canonical';

/** Returns the error for a target of another format: audio requests cannot be translated. */
export function requireSameFormat(model: string): GatewayError {
  const message = `The model '${model}' does not support this request: its upstream does not have OpenAI's audio API.`;
  return new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}
