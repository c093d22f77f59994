import { GatewayError } from '@model-gateway/canonical';

/**
 * Returns an error about one field, such as `input[0].call_id`, or about the whole request if `param` is
 * null.
 */
export function invalid(param: string | null, message: string, code = 'invalid_value'): GatewayError {
  return new GatewayError('invalid-request', message, { ...(param !== null && { param }), code });
}

/** Returns an error about a value that cannot be translated for upstreams of other formats. */
export function unsupported(param: string, why: string): GatewayError {
  return invalid(param, `Unsupported value for '${param}': ${why}.`, 'unsupported_value');
}
