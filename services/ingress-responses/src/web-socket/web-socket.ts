import type { GatewayError } from '@model-gateway/canonical';
import {
  bearerToken,
  type Connection,
  type Ingress,
  identifySecret,
  renderChatError,
  type SocketEndpoint,
} from '@model-gateway/ingress';
import { responses } from '../endpoints/create.ts';
import { responsesFormat } from '../format/format.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { Conversation } from './conversation.ts';

/** `/v1/responses` over a WebSocket, which may be open for `connectionMs`. */
export function webSocket(shelf: ResponseServices, ingress: Ingress, connectionMs: number): SocketEndpoint {
  const { bodyBytes: messageBytes } = shelf;
  const endpointOf = (local: Parameters<typeof responses>[1]) => responses(shelf, local);
  const options = { ingress, endpointOf, connectionMs, waitingBytes: messageBytes };
  return {
    path: '/v1/responses',
    messageBytes,
    renderError: responsesFormat.renderError,
    async admit(request, _requestId, count) {
      const identified = identifySecret(ingress.parts.access, bearerToken(request));
      count(identified.token);
      return { ...identified, serve };
    },
  };

  function serve(connection: Connection) {
    new Conversation({ connection, ...options });
    return (error: GatewayError) => {
      const { status, body } = renderChatError(error);
      connection.send(JSON.stringify({ type: 'error', status, ...(body as object) }));
      const { code, reason } = closeFor(error);
      connection.close(code, reason);
    };
  }
}

/** The close frame that follows an error: clients may come back later where they, or all, had too much open. */
function closeFor({ kind, details }: GatewayError): { code: number; reason: string } {
  if (kind === 'rate-limited' || kind === 'overloaded') return { code: 1013, reason: kind };
  return { code: 1008, reason: kind === 'timeout' ? (details.code ?? kind) : 'token' };
}
