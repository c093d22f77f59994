import { GatewayError } from '@model-gateway/canonical';

/** The most of a client's own words that is told back to it, in characters. */
const maxMessage = 500;
const maxParam = 200;

/** What is wrong in a client's event; the session goes on. `param` is a path such as `session.audio.output.voice`. */
export function invalid(param: string | null, message: string, code = 'invalid_value'): GatewayError {
  const where = param !== null && { param: param.slice(0, maxParam) };
  return new GatewayError('invalid-request', message.slice(0, maxMessage), { ...where, code });
}
