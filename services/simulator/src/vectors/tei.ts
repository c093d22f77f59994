import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import { immediate } from '../delivery.ts';
import { withMark } from '../faults/stream-faults.ts';
import type { ErrorFormat } from '../format.ts';
import type { Api } from '../routes.ts';
import { dimensionsOf, maxDimensions, ranking, tokensIn, tokensInAll, vectorOf } from './vector.ts';

const types: Record<number, string> = {
  400: 'Empty',
  413: 'Validation',
  422: 'Tokenizer',
  424: 'Backend',
  429: 'Overloaded',
  503: 'Unhealthy',
};

/** Text Embeddings Inference, a server of one model. Requests do not name the model. */
export const teiFormat: ErrorFormat = {
  overloaded: 429,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  errorBody: ({ status, message }) => ({
    error: message,
    error_type: types[status] ?? (status < 500 ? 'Validation' : 'Backend'),
  }),
};

const maxInputs = 32;

function validated<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const path = error.issues[0]?.path.join('.');
  const reason = `${path ? `${path}: ` : ''}${error.issues[0]?.message}`;
  throw new ApiError(422, `Failed to deserialize the JSON body into the target type: ${reason}`);
}

/** @throws ApiError for an empty or too large batch */
function checkBatch(name: string, { length }: readonly unknown[]): void {
  if (length === 0) throw new ApiError(400, `\`${name}\` cannot be empty`);
  if (length > maxInputs)
    throw new ApiError(413, `batch size ${length} > maximum allowed batch size ${maxInputs}`);
}

/** @throws ApiError for a text that is too long and may not be cut */
function checkLength(tokens: number, truncate: boolean | null | undefined): void {
  if (tokens <= maxTokens || truncate) return;
  const limit = `\`inputs\` must have less than ${maxTokens} tokens. Given: ${tokens}`;
  throw new ApiError(413, `Input validation error: ${limit}`);
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

export const teiEmbed: Api<ParsedEmbed> = {
  format: teiFormat,
  parse(body, _headers, url) {
    const { inputs, truncate, dimensions } = validated(embedRequest, body);
    const list = typeof inputs === 'string' || typeof inputs[0] === 'number' ? [inputs] : inputs;
    const texts = list.map(one => (Array.isArray(one) ? one.join(' ') : String(one)));
    checkBatch('inputs', texts);
    for (const text of texts) checkLength(tokensIn(text), truncate);
    const model = modelIn(url);
    return { model, texts, dimensions: dimensions ?? dimensionsOf(model) };
  },
  answer({ model, texts, dimensions }) {
    const vectors = texts.map(text => [...vectorOf(text, dimensions)]);
    return immediate(model, vectors, tokensInAll(texts));
  },
};

const rerankRequest = z.looseObject({
  query: z.string(),
  texts: z.array(z.string()),
  raw_scores: z.boolean().nullish(),
  return_text: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
});

export const teiRerank: Api<z.infer<typeof rerankRequest> & { model: string }> = {
  format: teiFormat,
  parse(body, _headers, url) {
    const request = validated(rerankRequest, body);
    const { query, texts, truncate } = request;
    checkBatch('texts', texts);
    for (const text of texts) checkLength(tokensIn(query + text), truncate);
    return { ...request, model: modelIn(url) };
  },
  answer({ model, query, texts, raw_scores: isRaw, return_text: repeats }, mark) {
    const body = ranking(query, texts).map(({ index, raw, score }) => ({
      index,
      ...(repeats && { text: withMark(texts[index] ?? '', mark) }),
      score: isRaw ? raw : score,
    }));
    return immediate(model, body, tokensInAll([query, ...texts]));
  },
};
