import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import { type DeliveryFormat, immediate, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/stream-faults.ts';
import { dimensionsOf, maxDimensions, ranking, tokensIn, tokensInAll, vectorOf } from './vector.ts';

const types: Record<number, string> = {
  400: 'Empty',
  413: 'Validation',
  422: 'Tokenizer',
  424: 'Backend',
  429: 'Overloaded',
  503: 'Unhealthy',
};

/** Text Embeddings Inference: a server of one model, whose requests name none. */
export const tei: DeliveryFormat = {
  overloaded: 429,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  errorBody: ({ status, message }) => ({
    error: message,
    error_type: types[status] ?? (status < 500 ? 'Validation' : 'Backend'),
  }),
};

const maxInputs = 32;

function validationError({ issues: [issue] }: z.ZodError): ApiError {
  const path = issue?.path.join('.');
  const message = `Failed to deserialize the JSON body into the target type: ${path ? `${path}: ` : ''}${issue?.message}`;
  return new ApiError(422, message);
}

/** @throws ApiError where nothing or too much is asked at once */
function checkBatch(name: string, { length }: readonly unknown[]): void {
  if (length === 0) throw new ApiError(400, `\`${name}\` cannot be empty`);
  if (length > maxInputs)
    throw new ApiError(413, `batch size ${length} > maximum allowed batch size ${maxInputs}`);
}

/** @throws ApiError where a text is longer than the model reads, and may not be cut */
function checkLength(tokens: number, truncate: boolean | null | undefined): void {
  if (tokens <= maxTokens || truncate) return;
  throw new ApiError(
    413,
    `Input validation error: \`inputs\` must have less than ${maxTokens} tokens. Given: ${tokens}`,
  );
}

const maxTokens = 8_192;

const defaultModel = 'sim-fast';

/** The model in the base URL, as in `/tei/fault-429/embed`, or `sim-fast`. */
function modelIn(url: string): string {
  const [, model] = /^\/tei\/([^?]+)\/[^/?]+(?:\?|$)/.exec(url) ?? [];
  return model === undefined ? defaultModel : decodeURIComponent(model);
}

const input = z.union([z.string(), z.array(z.int().min(0))]);
const embedRequest = z.looseObject({
  inputs: z.union([z.string(), z.array(input), z.array(z.int().min(0))]),
  normalize: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
  dimensions: z.int().min(1).max(maxDimensions).nullish(),
});

interface ParsedEmbed {
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

const rerankRequest = z.looseObject({
  query: z.string(),
  texts: z.array(z.string()),
  raw_scores: z.boolean().nullish(),
  return_text: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
});

interface ParsedRerank {
  model: string;
  query: string;
  texts: string[];
  raw: boolean;
  shown: boolean;
}

export function parseRerank(body: unknown, _headers: IncomingHttpHeaders, url: string): ParsedRerank {
  const { data: request, error } = rerankRequest.safeParse(body);
  if (!request) throw validationError(error);
  const { query, texts, truncate, raw_scores: raw, return_text: shown } = request;
  checkBatch('texts', texts);
  for (const text of texts) checkLength(tokensIn(query + text), truncate);
  return { model: modelIn(url), query, texts, raw: raw ?? false, shown: shown ?? false };
}

export function rerank({ model, query, texts, raw, shown }: ParsedRerank, mark?: Mark): Outcome {
  const body = ranking(query, texts).map(one => ({
    index: one.index,
    ...(shown && { text: withMark(texts[one.index] ?? '', mark) }),
    score: raw ? one.raw : one.score,
  }));
  return immediate(model, body, tokensInAll([query, ...texts]));
}
