import { invalidRequest, type ParsedRequest } from '@model-gateway/ingress';
import { chatRequest, chatTranslatable } from '@model-gateway/wire';
import { isForeignHistory } from './foreign.ts';
import { chatRenderer } from './render.ts';
import { parseGenerate } from './request/parse.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedRequest {
  const { success, data, error } = chatRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  return {
    model: data.model,
    stream: data.stream === true,
    foreign: isForeignHistory(data),
    canonical() {
      const read = chatTranslatable.safeParse(body);
      if (!read.success) throw invalidRequest(read.error, body);
      return parseGenerate(read.data);
    },
    render: chatRenderer({
      model: data.model,
      usage: data.stream_options?.include_usage === true,
      legacy: Array.isArray(body.functions),
    }),
  };
}
