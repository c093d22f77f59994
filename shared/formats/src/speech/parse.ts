import type { SpeechRequest } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { invalidRequest } from '../client/invalid.ts';
import type { ParsedOperation } from '../client/parsed-request.ts';
import { speechRequest } from './types.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation {
  const { success, data, error } = speechRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const { model, input, voice, instructions, response_format: format, speed, stream_format: stream } = data;
  return {
    type: 'speech',
    model,
    stream: stream === 'sse',
    bytes: true,
    canonical: (): SpeechRequest =>
      omitNullish({
        text: input,
        voice: typeof voice === 'string' ? voice : voice.id,
        format,
        speed,
        instructions,
      }),
    rendering: undefined,
  };
}
