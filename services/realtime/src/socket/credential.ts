import type { IncomingMessage } from 'node:http';
import { bearerToken } from '@model-gateway/ingress';

const keyProtocol = 'openai-insecure-api-key.';

/** The secret of a client: of `Authorization: Bearer`, or the subprotocol that browsers have in place of headers. */
export function credential(request: IncomingMessage): string | undefined {
  return (
    bearerToken(request) ??
    offered(request)
      .find(name => name.startsWith(keyProtocol))
      ?.slice(keyProtocol.length)
  );
}

/** Whether a client speaks the beta protocol. */
export function speaksBeta(request: IncomingMessage): boolean {
  const { 'openai-beta': beta = '' } = request.headers;
  return String(beta).includes('realtime=v1') || offered(request).includes('openai-beta.realtime-v1');
}

function offered({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map(name => name.trim());
}
