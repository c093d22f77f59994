import { type EmbedRequest, renamePath } from '@model-gateway/canonical';
import { decodeFailure } from '../upstream/decode-google-failure.ts';
import type { CanonicalInput, UpstreamFields } from '../upstream/dialect.ts';
import { embeddingDialect } from '../upstream/embedding-dialect.ts';
import { readEmbedding } from './decode.ts';
import { encode } from './encode.ts';

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  content: 'inputs',
  'embedContentConfig.outputDimensionality': 'dimensions',
  'embedContentConfig.autoTruncate': 'truncate',
};

/** The `embedContent` API of Vertex AI, for models of embeddings since Gemini Embedding 2. */
export const vertexEmbedContentDialect = embeddingDialect<CanonicalInput<EmbedRequest>>({
  format: 'vertex-embed-content',
  bodies: ['canonical'],
  encode,
  decodeFailure,
  pathOf: param => renamePath(param, fields),
  read: input => body => readEmbedding(body, input.request),
});
