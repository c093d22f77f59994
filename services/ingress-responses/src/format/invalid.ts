import { GatewayError } from '@model-gateway/canonical';

/** An error about one field of a request, such as `input[0].call_id`, or about all of it; `message` says everything. */
export function invalid(param: string | null, message: string, code = 'invalid_value'): GatewayError {
  return new GatewayError('invalid-request', message, { ...(param !== null && { param }), code });
}

/** What the request's own format has, and no other. */
export function unsupported(param: string, why: string): GatewayError {
  return invalid(param, `Unsupported value for '${param}': ${why}.`, 'unsupported_value');
}
