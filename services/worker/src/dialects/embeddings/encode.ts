import { type EmbedRequest, GatewayError } from '@model-gateway/canonical';
import type { EmbeddingsRequestParams } from '@model-gateway/wire';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { nativeBody, writtenBody } from '../native-body.ts';

const path = '/embeddings';

export function encode(input: EncodeInput<EmbedRequest>): UpstreamRequest {
  const { text, request } = input;
  if (text) return { path, body: nativeBody(input) };
  if (request)
    return {
      path,
      body: writtenBody(input, { ...request.extensions?.embeddings, ...translate(input.model, request) }),
    };
  throw new GatewayError('internal', 'The call holds no request.');
}

/**
 * Writes a request without the task and title: OpenAI's vectors do not depend on them, and unknown fields are
 * refused.
 */
function translate(model: string, request: EmbedRequest): EmbeddingsRequestParams {
  const { inputs, dimensions, encoding, user } = request;
  return { model, input: inputs, dimensions, encoding_format: encoding, user };
}
