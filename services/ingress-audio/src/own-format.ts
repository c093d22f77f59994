import { GatewayError } from '@model-gateway/canonical';
import { renderChatError } from '@model-gateway/ingress';
import { dataJson, sseEvent } from '@model-gateway/sse';

/** An error after a stream began. These streams have no event for it: clients know one by its name, or by its field. */
export function renderAudioErrorEvent(error: GatewayError): string {
  return sseEvent(dataJson(renderChatError(error).body), 'error');
}

/** What is said of a request that would have to be put into other words: nobody else has any for audio. */
export function requireSameFormat(model: string): GatewayError {
  const message = `The model '${model}' cannot be asked for this: its upstream does not speak OpenAI's audio API.`;
  return new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}
