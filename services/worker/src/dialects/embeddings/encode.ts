import { type EmbedRequest, GatewayError } from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { nativeBody, writtenBody } from '../native-body.ts';

const path = '/embeddings';

export function encode(input: EncodeInput<EmbedRequest>): UpstreamRequest {
  const { text, request } = input;
  if (text) return { path, body: nativeBody(input) };
  if (request) return { path, body: writtenBody(input, translate(input.model, request)) };
  throw new GatewayError('internal', 'The call holds no request.');
}

/**
 * Writes a request without the task and title: OpenAI's vectors do not depend on them, and unknown fields are
 * refused. Extensions of this format are kept.
 */
function translate(model: string, { inputs, dimensions, encoding, user, extensions }: EmbedRequest) {
  return { ...extensions?.embeddings, model, input: inputs, dimensions, encoding_format: encoding, user };
}
