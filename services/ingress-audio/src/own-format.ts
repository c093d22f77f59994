import { GatewayError } from '@model-gateway/canonical';
import { renderChatError } from '@model-gateway/ingress';
import { dataJson, sseEvent } from '@model-gateway/sse';

/**
 * Renders an error within a stream. The format defines no event for it: clients detect its name or its
 * `error` field.
 */
export function renderAudioErrorEvent(error: GatewayError): string {
  return sseEvent(dataJson(renderChatError(error).body), 'error');
}

/** Returns the error for a target of another format: audio requests cannot be translated. */
export function requireSameFormat(model: string): GatewayError {
  const message = `The model '${model}' does not support this request: its upstream does not have OpenAI's audio API.`;
  return new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}
