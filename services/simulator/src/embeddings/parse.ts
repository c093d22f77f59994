import { complaint, wrong } from '../openai-complaint.ts';
import { Refusal } from '../refusal.ts';
import { tokensIn } from '../vectors/tokens.ts';
import { dimensionsOf } from '../vectors/vector.ts';
import { type Input, requestFor } from './request.ts';

export interface EmbeddingsAsked {
  model: string;
  texts: string[];
  dimensions: number;
  base64: boolean;
  tokens: number;
}

const mostTokensEach = 8_192;
const mostTokens = 300_000;
/** The vendor's first model has vectors of one length. */
const fixed = /ada-002$/;

/** @throws Refusal as the vendor would */
export function parse(body: unknown): EmbeddingsAsked {
  const { data: request, error } = requestFor(body).safeParse(body);
  if (!request) throw complaint(body, error);
  const { model, dimensions, encoding_format: encoding } = request;
  if (fixed.test(model) && dimensions)
    throw wrong('This model does not support specifying dimensions.', null, null);
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

/** The sum, where none is too large. @throws Refusal */
function checked(tokens: number[]): number {
  const long = tokens.find(count => count > mostTokensEach);
  if (long !== undefined)
    throw wrong(
      `This model's maximum context length is ${mostTokensEach} tokens, however you requested ${long} tokens (${long} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`,
      null,
      null,
    );
  const sum = tokens.reduce((one, other) => one + other, 0);
  if (sum > mostTokens)
    throw new Refusal(400, `Requested ${sum} tokens, max ${mostTokens} tokens per request`, tooMany);
  return sum;
}

/** Stands in the error both as its type and as its code. */
export const tooMany = 'max_tokens_per_request';
