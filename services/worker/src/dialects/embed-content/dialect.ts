import { decodeFailure } from '../decode-google-failure.ts';
import { embeddingDialect } from '../embedding-dialect.ts';
import { vectorCount } from '../vectors.ts';
import { readEmbeddings } from './decode.ts';
import { encode } from './encode.ts';

/** Google's Gemini `embedContent` and `batchEmbedContents` API. */
export const embedContentDialect = embeddingDialect({
  format: 'embed-content',
  encode,
  decodeFailure,
  read: input => body => readEmbeddings(body, vectorCount(input) ?? 1, input.request?.encoding),
});
