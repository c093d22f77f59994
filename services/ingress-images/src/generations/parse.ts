import { invalidRequest, type ParsedOperation } from '@model-gateway/ingress';
import { imageGenerationRequest } from '@model-gateway/wire';
import { parsePrompted } from '../images/parse.ts';
import { generationsRenderer } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation {
  const { success, data, error } = imageGenerationRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  return {
    model: data.model,
    stream: data.stream === true,
    canonical: () => parsePrompted(data),
    render: generationsRenderer(data),
  };
}
