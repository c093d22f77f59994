import { type EmbedRequest, renamePath } from '@model-gateway/canonical';
import { decodeFailure } from '../upstream/decode-google-failure.ts';
import type { CanonicalInput, UpstreamFields } from '../upstream/dialect.ts';
import { embeddingDialect } from '../upstream/embedding-dialect.ts';
import { vectorCount } from '../upstream/vectors.ts';
import { readEmbeddings } from './decode.ts';
import { encode } from './encode.ts';

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  instances: 'inputs',
  'parameters.outputDimensionality': 'dimensions',
  'parameters.autoTruncate': 'truncate',
};

/** The `predict` API of Vertex AI's models for text embeddings. */
export const vertexEmbedDialect = embeddingDialect<CanonicalInput<EmbedRequest>>({
  format: 'vertex-embed',
  bodies: ['canonical'],
  encode,
  decodeFailure,
  pathOf: param => renamePath(param, fields),
  read: input => body => readEmbeddings(body, vectorCount(input), input.request),
});
