import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { openai } from '../chat/format.ts';
import { immediate, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/stream-faults.ts';
import { badRequest, validated } from '../openai-error.ts';
import type { Api } from '../routes.ts';
import { base64Of, dimensionsOf, maxDimensions, tokensIn, vectorOf } from './vector.ts';

const maxInputs = 2_048;
const text = z.string().min(1);
const token = z.int().min(0);
const tokens = z.array(token).min(1);

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

interface ParsedEmbeddings {
  model: string;
  texts: string[];
  dimensions: number;
  base64: boolean;
  tokens: number;
}

const maxTokensEach = 8_192;
const maxTokens = 300_000;
const fixed = /ada-002$/;

function parse(body: unknown): ParsedEmbeddings {
  const request = validated(requestFor(body), body);
  const { model, dimensions, encoding_format: encoding } = request;
  if (fixed.test(model) && dimensions) throw badRequest('This model does not support specifying dimensions.');
  const inputs = inputsOf(request.input);
  return {
    model,
    texts: inputs.map(({ text }) => text),
    dimensions: dimensions ?? dimensionsOf(model),
    base64: encoding === 'base64',
    tokens: checked(inputs.map(({ tokens }) => tokens)),
  };
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

/** Both the type and the code of the error. */
const tooMany = 'max_tokens_per_request';

function errorBody(error: ApiError) {
  const body = openai.errorBody(error);
  return { error: { ...body.error, ...(error.code === tooMany && { type: tooMany }) } };
}

function answer({ model, texts, dimensions, base64, tokens }: ParsedEmbeddings, mark?: Mark): Outcome {
  const data = texts.map((text, index) => {
    const vector = vectorOf(text, dimensions);
    return { object: 'embedding', index, embedding: base64 ? base64Of(vector) : [...vector] };
  });
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return immediate(model, { object: 'list', data, model: withMark(model, mark), usage }, tokens);
}

/** OpenAI's embeddings. */
export const embeddings: Api<ParsedEmbeddings> = { format: { ...openai, errorBody }, parse, answer };
