import { decodeFailure } from '../decode-openai-failure.ts';
import { embeddingDialect } from '../embedding-dialect.ts';
import { vectorCount } from '../vectors.ts';
import { readEmbeddings } from './decode.ts';
import { encode } from './encode.ts';

/** Cohere's embed API, version 2. */
export const cohereEmbedDialect = embeddingDialect({
  format: 'cohere-embed',
  encode,
  decodeFailure,
  read: input => body => readEmbeddings(body, vectorCount(input), input.request?.encoding),
});
