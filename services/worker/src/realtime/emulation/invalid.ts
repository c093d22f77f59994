import { GatewayError } from '@model-gateway/canonical';

/** What is wrong in a client's event; the session goes on. `param` is a path such as `session.audio.output.voice`. */
export function invalid(param: string | null, message: string, code = 'invalid_value'): GatewayError {
  return new GatewayError('invalid-request', message, { ...(param !== null && { param }), code });
}
