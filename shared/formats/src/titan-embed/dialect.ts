import { type EmbedRequest, renamePath } from '@model-gateway/canonical';
import { decodeAwsFailure } from '../upstream/decode-aws-failure.ts';
import type { CanonicalInput, UpstreamFields } from '../upstream/dialect.ts';
import { embeddingDialect } from '../upstream/embedding-dialect.ts';
import { readEmbedding } from './decode.ts';
import { encode } from './encode.ts';

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
