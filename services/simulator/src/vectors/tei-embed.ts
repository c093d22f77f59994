import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { immediate, type Outcome } from '../delivery.ts';
import { checkBatch, checkLength, modelIn, validationError } from './tei.ts';
import { dimensionsOf, maxDimensions, tokensIn, tokensInAll, vectorOf } from './vector.ts';

const input = z.union([z.string(), z.array(z.int().min(0))]);
const embedRequest = z.looseObject({
  inputs: z.union([z.string(), z.array(input), z.array(z.int().min(0))]),
  normalize: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
  dimensions: z.int().min(1).max(maxDimensions).nullish(),
});

export interface ParsedEmbed {
  model: string;
  texts: string[];
  dimensions: number;
}

export function parseEmbed(body: unknown, _headers: IncomingHttpHeaders, url: string): ParsedEmbed {
  const { data: request, error } = embedRequest.safeParse(body);
  if (!request) throw validationError(error);
  const { inputs, truncate, dimensions } = request;
  const texts = textsOf(inputs);
  checkBatch('inputs', texts);
  for (const text of texts) checkLength(tokensIn(text), truncate);
  const model = modelIn(url);
  return { model, texts, dimensions: dimensions ?? dimensionsOf(model) };
}

export function embed({ model, texts, dimensions }: ParsedEmbed): Outcome {
  const vectors = texts.map(text => [...vectorOf(text, dimensions)]);
  return immediate(model, vectors, tokensInAll(texts));
}

function textsOf(inputs: z.infer<typeof embedRequest>['inputs']): string[] {
  if (typeof inputs === 'string') return [inputs];
  if (typeof inputs[0] === 'number') return [inputs.join(' ')];
  return inputs.map(one => (Array.isArray(one) ? one.join(' ') : String(one)));
}
