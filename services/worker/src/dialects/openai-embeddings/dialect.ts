import { type EmbedRequest, memberText } from '@model-gateway/canonical';
import type { Dialect, EncodeInput } from '../dialect.ts';
import { decodeFailure } from '../openai-chat/failure/decode.ts';
import { decodeResult, ResultDecoder } from '../result.ts';
import { vectorCount } from '../vectors.ts';
import { readEmbeddings, type Wanted } from './decode.ts';
import { encode } from './encode.ts';

/** Embeddings, as OpenAI and those compatible with it make them. */
export const openaiEmbeddings: Dialect<EmbedRequest> = {
  format: 'embeddings',
  operations: ['embed'],
  choices: 'one',
  encode,
  decodeStream: decoder,
  decodeWhole: decoder,
  decodeBody: (body, input) => decodeResult(body, read(input)),
  decodeFailure,
};

function decoder(input: EncodeInput<EmbedRequest>): ResultDecoder {
  return new ResultDecoder(input.text !== undefined, read(input));
}

function read(input: EncodeInput<EmbedRequest>) {
  return (body: unknown) => readEmbeddings(body, { count: vectorCount(input), encoding: encodingOf(input) });
}

/** How the client wants its vectors, whether or not the upstream is asked for that. */
function encodingOf({ text, request }: EncodeInput<EmbedRequest>): Wanted['encoding'] {
  if (request) return request.encoding;
  const told = text && memberText(text, 'encoding_format');
  return told && JSON.parse(told) === 'base64' ? 'base64' : 'float';
}
