import { GatewayError } from '@model-gateway/canonical';

/** An error about one field of a request, such as `input[0].call_id`; `message` says all of it. */
export function invalid(param: string, message: string, code = 'invalid_value'): GatewayError {
  return new GatewayError('invalid-request', message, { param, code });
}

/** What the request's own format has, and no other. */
export function unsupported(param: string, why: string): GatewayError {
  return invalid(param, `Unsupported value for '${param}': ${why}.`, 'unsupported_value');
}
