import { z } from 'zod';
import { openai } from '../chat/format.ts';
import { ApiError } from '../common/api-error.ts';
import { immediate } from '../common/delivery.ts';
import type { ErrorFormat } from '../common/format.ts';
import { badRequest, validated } from '../common/openai-error.ts';
import type { Api } from '../common/routes.ts';
import { type Mark, withMark } from '../common/stream-faults.ts';
import { base64Of, dimensionsOf, maxDimensions, tokensIn, tokensInAll, vectorOf } from './vector.ts';

/** A request of embeddings, as its vendor's API reads it. */
interface Inputs {
  model: string;
  texts: string[];
  /** The length of the vectors, or of each, if it is not the model's own. */
  dimensions: Length | Length[];
  /** The input tokens, if they are not those of the texts. */
  tokens?: number;
  /** Returns the answer in the vendor's shape. */
  body(vectors: Float32Array[], tokens: number, mark?: Mark): unknown;
}

type Length = number | null | undefined;

/** An API of embeddings. `read` throws an ApiError as the vendor would. */
export function embedder(format: ErrorFormat, read: (body: unknown, url: string) => Inputs): Api<Inputs> {
  return {
    format,
    parse: (body, _headers, url) => read(body, url),
    answer({ model, texts, dimensions, tokens = tokensInAll(texts), body }, mark) {
      const length = (at: number) => (Array.isArray(dimensions) ? dimensions[at] : dimensions);
      const vectors = texts.map((text, at) => vectorOf(text, length(at) ?? dimensionsOf(model)));
      return immediate(model, body(vectors, tokens, mark), tokens);
    },
  };
}

export const numbers = (vector: Float32Array) => [...vector];

const text = z.string().min(1);
const tokens = z.array(z.int().min(0)).min(1);
const maxInputs = 2_048;
const inputs = {
  text,
  texts: z.array(text).min(1).max(maxInputs),
  tokens: tokens.max(maxInputs),
  tokenLists: z.array(tokens).min(1).max(maxInputs),
};
type Input = z.infer<(typeof inputs)[keyof typeof inputs]>;

/** The schema depends on the kind of input, so that an error names the invalid field. */
function requestFor(body: unknown) {
  return z.strictObject({
    input: inputs[kindOf(body)],
    model: z.string().min(1),
    encoding_format: z.enum(['float', 'base64']).nullish(),
    dimensions: z.int().min(1).max(maxDimensions).nullish(),
    user: z.string().nullish(),
  });
}

function kindOf(body: unknown): keyof typeof inputs {
  const input = typeof body === 'object' && body !== null && 'input' in body ? body.input : undefined;
  if (!Array.isArray(input)) return 'text';
  if (typeof input[0] === 'number') return 'tokens';
  return Array.isArray(input[0]) ? 'tokenLists' : 'texts';
}

/** A list of numbers is one input, in which each number is a word. */
function inputsOf(input: Input): { text: string; tokens: number }[] {
  const list = typeof input === 'string' || typeof input[0] === 'number' ? [input] : input;
  return (list as (string | number[])[]).map(one =>
    typeof one === 'string'
      ? { text: one, tokens: tokensIn(one) }
      : { text: one.join(' '), tokens: one.length },
  );
}

const maxTokensEach = 8_192;
const maxTokens = 300_000;
/** Both the type and the code of the error. */
const tooMany = 'max_tokens_per_request';

/** @throws ApiError if an input, or all of them, are too long */
function checked(tokens: number[]): number {
  const long = tokens.find(count => count > maxTokensEach);
  if (long !== undefined)
    throw badRequest(
      `This model's maximum context length is ${maxTokensEach} tokens, however you requested ${long} tokens.`,
    );
  const sum = tokens.reduce((one, other) => one + other, 0);
  if (sum > maxTokens)
    throw new ApiError(400, `Requested ${sum} tokens, max ${maxTokens} tokens per request`, tooMany);
  return sum;
}

function errorBody(error: ApiError) {
  const body = openai.errorBody(error);
  return { error: { ...body.error, ...(error.code === tooMany && { type: tooMany }) } };
}

const fixed = /ada-002$/;

/** OpenAI's embeddings. */
export const embeddings = embedder({ ...openai, errorBody }, body => {
  const { input, model, dimensions, encoding_format: encoding } = validated(requestFor(body), body);
  if (fixed.test(model) && dimensions) throw badRequest('This model does not support specifying dimensions.');
  const inputs = inputsOf(input);
  const written = encoding === 'base64' ? base64Of : numbers;
  return {
    model,
    texts: inputs.map(({ text }) => text),
    dimensions,
    tokens: checked(inputs.map(({ tokens }) => tokens)),
    body: (vectors, tokens, mark) => ({
      object: 'list',
      data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: written(vector) })),
      model: withMark(model, mark),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }),
  };
});
