import { invalidRequest, type ParsedOperation } from '@model-gateway/ingress';
import { speechRequest } from '@model-gateway/wire';
import { requireSameFormat } from '../own-format.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation {
  const { success, data, error } = speechRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const { model, stream_format: format } = data;
  const stream = format === 'sse';
  return {
    type: 'speech',
    model,
    stream,
    ...(!stream && { bytes: true }),
    canonical() {
      throw requireSameFormat(model);
    },
    rendering: undefined,
  };
}
