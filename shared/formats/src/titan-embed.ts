import { type EmbedRequest, noUsage, renamePath } from '@model-gateway/canonical';
import type { TitanEmbedRequestParams } from './embeddings/types.ts';
import { decodeAwsFailure } from './upstream/decode-aws-failure.ts';
import type { CanonicalInput, UpstreamFields, UpstreamRequest } from './upstream/dialect.ts';
import { embeddingDialect, inputTexts } from './upstream/embedding-dialect.ts';
import { objectIn } from './upstream/read-json.ts';
import { writtenBody } from './upstream/request-body.ts';
import type { ReadResult } from './upstream/result.ts';
import { unsupported } from './upstream/unsupported.ts';
import { readVectors, type VectorForm } from './upstream/vectors.ts';

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

/** Reads the vector of an answer, and the tokens of its input. */
export function readEmbedding(body: unknown, form: VectorForm): ReadResult | undefined {
  const { embedding, inputTextTokenCount: tokens } = objectIn(body) ?? {};
  const vectors = readVectors([embedding], form);
  if (!vectors) return undefined;
  return {
    result: { type: 'embeddings', model: '', vectors },
    usage:
      typeof tokens === 'number' ? { ...noUsage, input: tokens, raw: { inputTextTokenCount: tokens } } : null,
  };
}

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = { inputText: 'inputs', dimensions: 'dimensions' };

/** Amazon's Titan text embeddings on Bedrock, which take one text at a time. */
export const titanEmbedDialect = embeddingDialect<CanonicalInput<EmbedRequest>>({
  format: 'titan-embed',
  bodies: ['canonical'],
  encode,
  decodeFailure: decodeAwsFailure,
  pathOf: param => renamePath(param, fields),
  read: input => body => readEmbedding(body, input.request),
});
