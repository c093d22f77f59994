import type { EmbedInput, EmbedRequest } from '@model-gateway/canonical';
import type { CanonicalInput, Dialect, VerbatimInput } from './dialect.ts';
import { decodeResult, type ReadBody, ResultDecoder } from './result.ts';
import { unsupported } from './unsupported.ts';

/** Input of a dialect for embeddings. */
type Input = VerbatimInput | CanonicalInput<EmbedRequest>;

/** The parts of an embedding dialect that differ between formats. */
interface Embedding<I extends Input>
  extends Pick<Dialect<I>, 'format' | 'bodies' | 'encode' | 'decodeFailure' | 'pathOf'> {
  /** Returns the reader of the response to a request. */
  read(input: I): ReadBody;
}

/** Creates a dialect for embeddings, whose responses are not streamed. */
export function embeddingDialect<I extends Input>({ read, ...embedding }: Embedding<I>): Dialect<I> {
  const decoder = (input: I) => new ResultDecoder(input.body === 'verbatim', read(input));
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
    throw unsupported(
      inputs.length === 1 ? 'inputs' : `inputs[${i}]`,
      "this model's provider embeds texts, not tokens",
    );
  });
}
