import type { GatewayError } from '@model-gateway/canonical';
import { renderChatError } from '@model-gateway/formats/client';
import { responsesFormat } from '@model-gateway/formats/responses';
import {
  type Connection,
  type Ingress,
  identifySecret,
  type SocketEndpoint,
  secretsOf,
} from '@model-gateway/ingress';
import { responses } from '../endpoints/create.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { Conversation } from './conversation.ts';

/** Limits of a connection: its longest time, in milliseconds, and the most messages that are read in a second. */
interface ConnectionLimits {
  connectionMs: number;
  messagesPerSecond: number;
}

/** `/v1/responses` over a WebSocket. */
export function webSocket(
  services: ResponseServices,
  ingress: Ingress,
  { connectionMs, messagesPerSecond }: ConnectionLimits,
): SocketEndpoint {
  const { bodyBytes: messageBytes } = services;
  const endpointOf = (local: Parameters<typeof responses>[1]) => responses(services, local);
  const options = { ingress, endpointOf, connectionMs, waitingBytes: messageBytes };
  return {
    path: '/v1/responses',
    messageBytes,
    messagesPerSecond,
    renderError: responsesFormat.renderError,
    async admit(request, _requestId, count) {
      const { parts } = ingress;
      const use = { endpoint: responsesFormat.format, client: parts.clientAddress(request) };
      const identified = identifySecret(parts, secretsOf(request), use);
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

/**
 * Returns the close code after an error. Clients reconnect later after 1013: too many connections were open.
 */
function closeFor({ kind, details }: GatewayError): { code: number; reason: string } {
  if (kind === 'rate-limited' || kind === 'overloaded') return { code: 1013, reason: kind };
  return { code: 1008, reason: kind === 'timeout' ? (details.code ?? kind) : 'token' };
}
