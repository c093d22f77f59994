import { type EmbedRequest, GatewayError } from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { ownText, writtenBody } from '../own-text.ts';

const path = '/embeddings';

export function encode(input: EncodeInput<EmbedRequest>): UpstreamRequest {
  const { text, request } = input;
  if (text) return { path, body: ownText(input) };
  if (request) return { path, body: writtenBody(input, translate(input.model, request)) };
  throw new GatewayError('internal', 'The call holds no request.');
}

/**
 * What the vectors are for is said by the fields of a client of this format alone: models of OpenAI make the same ones
 * for all, and refuse fields that they do not know.
 */
function translate(model: string, { inputs, dimensions, encoding, user, extensions }: EmbedRequest) {
  return { ...extensions?.embeddings, model, input: inputs, dimensions, encoding_format: encoding, user };
}
