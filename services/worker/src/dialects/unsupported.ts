import { GatewayError, type GenerateRequest } from '@model-gateway/canonical';

/** A field of a request that an upstream's format has no place for. */
export function unsupported(param: string, why: string): GatewayError {
  const message = `Unsupported value for '${param}': ${why}.`;
  return new GatewayError('invalid-request', message, { param, code: 'unsupported_value' });
}

/** Fields of the messages format that ask for something to be done which only its vendor does. */
const ownWork = ['mcp_servers', 'container', 'thinking'];

/** @throws GatewayError for what no vendor but that of the messages format does */
export function refuseOwnWork({ extensions }: GenerateRequest): void {
  for (const field of ownWork) {
    const value = extensions?.messages?.[field];
    if (value && !(Array.isArray(value) && value.length === 0))
      throw unsupported(field, "this model's provider has no such thing");
  }
}
