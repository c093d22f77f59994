import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import { errorBody as chatErrorBody } from '../chat/format.ts';
import { type DeliveryFormat, immediate, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/stream-faults.ts';
import { badRequest, validated } from '../openai-error.ts';
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

/** Picks the schema by the kind of input, so that an error names the field that is wrong. */
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

/** @throws ApiError as the vendor would */
export function parse(body: unknown): ParsedEmbeddings {
  const request = validated(requestFor(body), body);
  const { model, dimensions, encoding_format: encoding } = request;
  if (fixed.test(model) && dimensions)
    throw badRequest('This model does not support specifying dimensions.', null, null);
  const inputs = inputsOf(request.input);
  return {
    model,
    texts: inputs.map(({ text }) => text),
    dimensions: dimensions ?? dimensionsOf(model),
    base64: encoding === 'base64',
    tokens: checked(inputs.map(({ tokens }) => tokens)),
  };
}

interface ReadInput {
  text: string;
  tokens: number;
}

/** A list of numbers is one input; each number stands for a word of its own. */
function inputsOf(input: Input): ReadInput[] {
  if (typeof input === 'string') return [textInput(input)];
  if (typeof input[0] === 'number') return [tokenInput(input as number[])];
  return input.map(one => (typeof one === 'string' ? textInput(one) : tokenInput(one as number[])));
}

function textInput(text: string): ReadInput {
  return { text, tokens: tokensIn(text) };
}

function tokenInput(tokens: number[]): ReadInput {
  return { text: tokens.join(' '), tokens: tokens.length };
}

/** @throws ApiError if an input, or all of them, are too long */
function checked(tokens: number[]): number {
  const long = tokens.find(count => count > maxTokensEach);
  if (long !== undefined)
    throw badRequest(
      `This model's maximum context length is ${maxTokensEach} tokens, however you requested ${long} tokens (${long} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`,
      null,
      null,
    );
  const sum = tokens.reduce((one, other) => one + other, 0);
  if (sum > maxTokens)
    throw new ApiError(400, `Requested ${sum} tokens, max ${maxTokens} tokens per request`, tooMany);
  return sum;
}

/** Stands in the error both as its type and as its code. */
const tooMany = 'max_tokens_per_request';

/** OpenAI's embeddings, whose errors are those of chat. */
export const embeddings: DeliveryFormat = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01' }),
  key: bearer,
  errorBody,
};

function errorBody(error: ApiError) {
  const body = chatErrorBody(error);
  return { error: { ...body.error, ...(error.code === tooMany && { type: tooMany }) } };
}

export function whole({ model, texts, dimensions, base64, tokens }: ParsedEmbeddings, mark?: Mark): Outcome {
  const body = {
    object: 'list',
    data: texts.map((text, index) => {
      const vector = vectorOf(text, dimensions);
      return { object: 'embedding', index, embedding: base64 ? base64Of(vector) : [...vector] };
    }),
    model: withMark(model, mark),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
  return immediate(model, body, tokens);
}
