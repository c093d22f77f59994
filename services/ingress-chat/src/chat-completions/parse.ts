import { invalidRequest, type ParsedRequest } from '@model-gateway/ingress';
import { chatRequest } from '@model-gateway/wire';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedRequest {
  const { success, data, error } = chatRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  return { model: data.model, stream: data.stream === true };
}
