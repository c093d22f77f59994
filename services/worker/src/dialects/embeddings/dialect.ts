import type { EmbedRequest } from '@model-gateway/canonical';
import { memberText } from '@model-gateway/json';
import { decodeFailure } from '../decode-openai-failure.ts';
import type { EncodeInput } from '../dialect.ts';
import { embeddingDialect } from '../embedding-dialect.ts';
import { vectorCount } from '../vectors.ts';
import { type Expected, readEmbeddings } from './decode.ts';
import { encode } from './encode.ts';

/** The embeddings API of OpenAI and compatible providers. */
export const embeddingsDialect = embeddingDialect({
  format: 'embeddings',
  encode,
  decodeFailure,
  read: input => body => readEmbeddings(body, { count: vectorCount(input), encoding: encodingOf(input) }),
});

/** Returns the client's encoding, whether or not the upstream supports it. */
function encodingOf({ text, request }: EncodeInput<EmbedRequest>): Expected['encoding'] {
  if (request) return request.encoding;
  const encoding = text && memberText(text, 'encoding_format');
  return encoding && JSON.parse(encoding) === 'base64' ? 'base64' : 'float';
}
