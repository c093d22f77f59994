import type { EmbedInput, EmbedRequest } from '@model-gateway/canonical';
import type { CanonicalInput, Dialect, VerbatimInput } from './dialect.ts';
import { decodeResult, type ReadBody, ResultDecoder } from './result.ts';
import { unsupported } from './unsupported.ts';

/** Input of a dialect for embeddings. */
type Input = VerbatimInput | CanonicalInput<EmbedRequest>;

/** The parts of an embedding dialect that differ between formats. */
interface Embedding<I extends Input>
  extends Pick<Dialect<I>, 'format' | 'bodies' | 'encode' | 'decodeFailure' | 'pathOf'> {
  /** The types of numbers other than 32-bit floats that a translated request may ask for; none if absent. */
  numbers?: readonly string[] | 'any';
  /** Returns the reader of the response to a request. */
  read(input: I): ReadBody;
}

/** Creates a dialect for embeddings, whose responses are not streamed. */
export function embeddingDialect<I extends Input>(facts: Embedding<I>): Dialect<I> {
  const { read, encode, numbers = [], ...embedding } = facts;
  const decoder = (input: I) => new ResultDecoder(input.body === 'verbatim', read(input));
  return {
    ...embedding,
    encode(input) {
      if (input.body === 'canonical' && numbers !== 'any') checkNumbers(input.request, numbers);
      return encode(input);
    },
    choices: 'one',
    decodeStream: decoder,
    decodeWhole: decoder,
    decodeBody: (body, input) => decodeResult(body, read(input)),
  };
}

/** @throws GatewayError for a type of numbers that the upstream does not have */
function checkNumbers({ numbers }: EmbedRequest, supported: readonly string[]): void {
  if (numbers === undefined || supported.includes(numbers)) return;
  const known = ['float', ...supported].join(', ');
  throw unsupported('numbers', `this model's provider makes vectors of ${known}, not of ${numbers}`);
}

/** Returns the inputs as texts, for upstreams that accept only text. @throws GatewayError for any other input */
export function inputTexts(inputs: readonly EmbedInput[]): string[] {
  return inputs.map((input, i) => {
    if (typeof input === 'string') return input;
    if (!Array.isArray(input) && isOnlyText(input)) return input.text;
    const what = Array.isArray(input) ? 'tokens' : 'other content';
    throw unsupported(
      inputs.length === 1 ? 'inputs' : `inputs[${i}]`,
      `this model's provider embeds texts, not ${what}`,
    );
  });
}

function isOnlyText(input: Record<string, unknown>): input is { text: string } {
  const { text, type = 'text', ...others } = input;
  return typeof text === 'string' && text !== '' && type === 'text' && Object.keys(others).length === 0;
}
