import { z } from 'zod';
import { mostDimensions } from '../vectors/vector.ts';

const mostInputs = 2_048;
const text = z.string().min(1);
const token = z.int().min(0);
const tokens = z.array(token).min(1);

/** The inputs by what the first of them is. */
const inputs = {
  text,
  texts: z.array(text).min(1).max(mostInputs),
  tokens: tokens.max(mostInputs),
  tokenLists: z.array(tokens).min(1).max(mostInputs),
};
export type Input = z.infer<(typeof inputs)[keyof typeof inputs]>;

/** What a request is checked against: of the kinds of input the one that was meant, so that a complaint names what is wrong with it. */
export function requestFor(body: unknown) {
  return z.strictObject({
    input: inputs[kindOf(body)],
    model: z.string().min(1),
    encoding_format: z.enum(['float', 'base64']).nullish(),
    dimensions: z.int().min(1).max(mostDimensions).nullish(),
    user: z.string().nullish(),
  });
}

function kindOf(body: unknown): keyof typeof inputs {
  const input = typeof body === 'object' && body !== null && 'input' in body ? body.input : undefined;
  if (!Array.isArray(input)) return 'text';
  if (typeof input[0] === 'number') return 'tokens';
  return Array.isArray(input[0]) ? 'tokenLists' : 'texts';
}
