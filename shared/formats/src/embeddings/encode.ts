import type { EmbedRequest } from '@model-gateway/canonical';
import type { CanonicalInput, UpstreamRequest, VerbatimInput } from '../upstream/dialect.ts';
import { nativeBody, writtenBody } from '../upstream/request-body.ts';
import type { EmbeddingsRequestParams } from './types.ts';

export function encode(input: VerbatimInput | CanonicalInput<EmbedRequest>): UpstreamRequest {
  const path = '/embeddings';
  if (input.body === 'verbatim') return { path, body: nativeBody(input) };
  const { request, model } = input;
  return {
    path,
    body: writtenBody(input, { ...request.extensions?.embeddings, ...translate(model, request) }),
  };
}

/**
 * Writes a request without the task and title: OpenAI's vectors do not depend on them, and unknown fields are
 * refused.
 */
function translate(model: string, request: EmbedRequest): EmbeddingsRequestParams {
  const { inputs, dimensions, encoding, numbers, user } = request;
  return {
    ...{ model, input: inputs, dimensions, user },
    // A type of numbers is in the client's own field.
    ...(numbers === undefined && { encoding_format: encoding }),
  };
}
