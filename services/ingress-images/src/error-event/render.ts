import type { GatewayError } from '@model-gateway/canonical';
import { renderChatError } from '@model-gateway/ingress';
import { dataJson, sseEvent } from '@model-gateway/sse';

/** The format has no event for a stream that fails: this is what its SDKs take for one. */
export function renderErrorEvent(error: GatewayError): string {
  return sseEvent(dataJson(renderChatError(error).body), 'error');
}
