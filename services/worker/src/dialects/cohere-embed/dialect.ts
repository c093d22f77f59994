import type { EmbedRequest } from '@model-gateway/canonical';
import type { Dialect, EncodeInput } from '../dialect.ts';
import { decodeFailure } from '../openai-chat/failure/decode.ts';
import { decodeResult, ResultDecoder } from '../result.ts';
import { vectorCount } from '../vectors.ts';
import { readEmbeddings } from './decode.ts';
import { encode } from './encode.ts';

/** Embeddings, as Cohere's second version makes them. */
export const cohereEmbed: Dialect<EmbedRequest> = {
  format: 'cohere-embed',
  operations: ['embed'],
  choices: 'one',
  encode,
  decodeStream: decoder,
  decodeWhole: decoder,
  decodeBody: (body, input) => decodeResult(body, read(input)),
  decodeFailure,
};

function decoder(input: EncodeInput<EmbedRequest>): ResultDecoder {
  return new ResultDecoder(false, read(input));
}

function read(input: EncodeInput<EmbedRequest>) {
  return (body: unknown) => readEmbeddings(body, vectorCount(input), input.request?.encoding);
}
