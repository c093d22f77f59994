import type { EmbedInput, EmbedRequest } from '@model-gateway/canonical';
import type { Dialect, EncodeInput } from './dialect.ts';
import { decodeResult, type ReadBody, ResultDecoder } from './result.ts';
import { unsupported } from './unsupported.ts';

/** How the upstreams of one format are asked for vectors. */
interface Embedding extends Pick<Dialect<EmbedRequest>, 'format' | 'encode' | 'decodeFailure'> {
  /** What reads the answer to a request. */
  read(input: EncodeInput<EmbedRequest>): ReadBody;
}

/** A dialect of vectors, whose answers come in one piece. */
export function embeddingDialect({ read, ...embedding }: Embedding): Dialect<EmbedRequest> {
  const decoder = (input: EncodeInput<EmbedRequest>) =>
    new ResultDecoder(input.text !== undefined, read(input));
  return {
    ...embedding,
    operations: ['embed'],
    choices: 'one',
    decodeStream: decoder,
    decodeWhole: decoder,
    decodeBody: (body, input) => decodeResult(body, read(input)),
  };
}

/** The texts of inputs, for upstreams that take nothing else. @throws GatewayError for one that is tokens */
export function inputTexts(inputs: readonly EmbedInput[]): string[] {
  return inputs.map((input, i) => {
    if (typeof input === 'string') return input;
    const param = inputs.length === 1 ? 'input' : `input[${i}]`;
    throw unsupported(param, "this model's provider embeds texts, not tokens");
  });
}
