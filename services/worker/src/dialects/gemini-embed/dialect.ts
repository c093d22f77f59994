import type { EmbedRequest } from '@model-gateway/canonical';
import type { Dialect, EncodeInput } from '../dialect.ts';
import { decodeFailure } from '../gemini-generate/failure/decode.ts';
import { decodeResult, ResultDecoder } from '../result.ts';
import { vectorCount } from '../vectors.ts';
import { readEmbeddings } from './decode.ts';
import { encode } from './encode.ts';

/** Embed content, as Google's Gemini API speaks it: of one content, or of a batch. */
export const geminiEmbed: Dialect<EmbedRequest> = {
  format: 'embed-content',
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
  return (body: unknown) => readEmbeddings(body, vectorCount(input) ?? 1, input.request?.encoding);
}
