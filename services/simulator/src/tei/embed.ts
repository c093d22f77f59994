import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { atOnce, type Outcome } from '../delivery.ts';
import { tokensIn, tokensInAll } from '../vectors/tokens.ts';
import { dimensionsOf, mostDimensions, vectorOf } from '../vectors/vector.ts';
import { checkBatch, checkLength, complaint } from './complaint.ts';
import { modelIn } from './target.ts';

const input = z.union([z.string(), z.array(z.int().min(0))]);
const embedRequest = z.looseObject({
  inputs: z.union([z.string(), z.array(input), z.array(z.int().min(0))]),
  normalize: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
  dimensions: z.int().min(1).max(mostDimensions).nullish(),
});

export interface EmbedAsked {
  model: string;
  texts: string[];
  dimensions: number;
}

/** @throws Refusal as the server would */
export function parseEmbed(body: unknown, _headers: IncomingHttpHeaders, url: string): EmbedAsked {
  const { data: request, error } = embedRequest.safeParse(body);
  if (!request) throw complaint(error);
  const { inputs, truncate, dimensions } = request;
  const texts = textsOf(inputs);
  checkBatch('inputs', texts);
  for (const text of texts) checkLength(tokensIn(text), truncate);
  const model = modelIn(url);
  return { model, texts, dimensions: dimensions ?? dimensionsOf(model) };
}

/** The vectors alone, each of length 1 whether that was asked for or not. */
export function embed({ model, texts, dimensions }: EmbedAsked): Outcome {
  const vectors = texts.map(text => [...vectorOf(text, dimensions)]);
  return atOnce(model, vectors, tokensInAll(texts));
}

/** A list of numbers is one input, as a list of lists it is many. */
function textsOf(inputs: z.infer<typeof embedRequest>['inputs']): string[] {
  if (typeof inputs === 'string') return [inputs];
  if (typeof inputs[0] === 'number') return [inputs.join(' ')];
  return inputs.map(one => (Array.isArray(one) ? one.join(' ') : String(one)));
}
