import type { GatewayError } from '@model-gateway/canonical';
import { renderChatError } from '@model-gateway/ingress';
import { dataJson, sseEvent } from '@model-gateway/sse';

/** An error after a stream began. These streams have no event for it: clients know one by its name, or by its field. */
export function renderAudioErrorEvent(error: GatewayError): string {
  return sseEvent(dataJson(renderChatError(error).body), 'error');
}
