import type { EmbedInput, EmbedRequest } from '@model-gateway/canonical';
import type { Dialect, EncodeInput } from './dialect.ts';
import { decodeResult, type ReadBody, ResultDecoder } from './result.ts';
import { unsupported } from './unsupported.ts';

/** The parts of an embedding dialect that differ between formats. */
interface Embedding extends Pick<Dialect<EmbedRequest>, 'format' | 'encode' | 'decodeFailure'> {
  /** Returns the reader of the response to a request. */
  read(input: EncodeInput<EmbedRequest>): ReadBody;
}

/** Creates a dialect for embeddings, whose responses are not streamed. */
export function embeddingDialect({ read, ...embedding }: Embedding): Dialect<EmbedRequest> {
  const decoder = (input: EncodeInput<EmbedRequest>) =>
    new ResultDecoder(input.text !== undefined, read(input));
  return {
    ...embedding,
    choices: 'one',
    decodeStream: decoder,
    decodeWhole: decoder,
    decodeBody: (body, input) => decodeResult(body, read(input)),
  };
}

/** Returns the inputs as texts, for upstreams that accept only text. @throws GatewayError for token input */
export function inputTexts(inputs: readonly EmbedInput[]): string[] {
  return inputs.map((input, i) => {
    if (typeof input === 'string') return input;
    const param = inputs.length === 1 ? 'input' : `input[${i}]`;
    throw unsupported(param, "this model's provider embeds texts, not tokens");
  });
}
