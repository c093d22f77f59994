import { GatewayError } from '@model-gateway/canonical';

/** The code of a request whose body came too slowly: it is a 408, not the 504 of an upstream's time. */
export const slowBodyCode = 'request_timeout';

export function slowBody(why: string): GatewayError {
  return new GatewayError('timeout', `The request body ${why}.`, { code: slowBodyCode });
}

export function slowMessage(why: string): GatewayError {
  return new GatewayError('timeout', `The WebSocket message ${why}.`, { code: slowBodyCode });
}

export function isSlowBody({ kind, details }: GatewayError): boolean {
  return kind === 'timeout' && details.code === slowBodyCode;
}
