import { GatewayError } from '@model-gateway/canonical';

/** What is said of a request that would have to be put into other words: nobody else has any for audio. */
export function onlyOwnWords(model: string): GatewayError {
  const message = `The model '${model}' cannot be asked for this: its upstream does not speak OpenAI's audio API.`;
  return new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}
