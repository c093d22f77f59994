import { type EmbedRequest, memberText } from '@model-gateway/canonical';
import { decodeFailure } from '../decode-openai-failure.ts';
import type { EncodeInput } from '../dialect.ts';
import { embeddingDialect } from '../embedding-dialect.ts';
import { vectorCount } from '../vectors.ts';
import { readEmbeddings, type Wanted } from './decode.ts';
import { encode } from './encode.ts';

/** Embeddings, as OpenAI and those compatible with it make them. */
export const embeddingsDialect = embeddingDialect({
  format: 'embeddings',
  encode,
  decodeFailure,
  read: input => body => readEmbeddings(body, { count: vectorCount(input), encoding: encodingOf(input) }),
});

/** How the client wants its vectors, whether or not the upstream is asked for that. */
function encodingOf({ text, request }: EncodeInput<EmbedRequest>): Wanted['encoding'] {
  if (request) return request.encoding;
  const told = text && memberText(text, 'encoding_format');
  return told && JSON.parse(told) === 'base64' ? 'base64' : 'float';
}
