import type { EmbedRequest } from '@model-gateway/canonical';
import type { TitanEmbedRequestParams } from '../embeddings/types.ts';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { inputTexts } from '../upstream/embedding-dialect.ts';
import { writtenBody } from '../upstream/request-body.ts';
import { unsupported } from '../upstream/unsupported.ts';

/** Writes a request of one text. The models have no tasks, and refuse an input that is too long. */
export function encode(input: CanonicalInput<EmbedRequest>): UpstreamRequest {
  const { inputs, dimensions, truncate } = input.request;
  if (truncate) throw unsupported('truncate', "this model's provider does not truncate inputs");
  const [inputText, ...more] = inputTexts(inputs);
  if (inputText === undefined || more.length > 0)
    throw unsupported('inputs', "this model's provider embeds one text at a time");
  const body: TitanEmbedRequestParams = { inputText, dimensions };
  return { path: '/invoke', body: writtenBody(input, body) };
}
