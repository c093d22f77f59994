import { type Ingress, renderChatError, type SocketEndpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format.ts';
import { responses } from '../responses/endpoint.ts';
import type { Shelf } from '../stored/prepare.ts';
import { Conversation } from './conversation.ts';

/** `/v1/responses` over a WebSocket. */
export function webSocket(shelf: Shelf, ingress: Ingress, messageBytes: number): SocketEndpoint {
  return {
    path: '/v1/responses',
    messageBytes,
    renderError: responsesFormat.renderError,
    renderEnd(error) {
      const { status, body } = renderChatError(error);
      return JSON.stringify({ type: 'error', status, ...(body as object) });
    },
    serve: connection => void new Conversation(connection, ingress, local => responses(shelf, local)),
  };
}
