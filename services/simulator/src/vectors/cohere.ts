import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import { immediate } from '../delivery.ts';
import { withMark } from '../faults/stream-faults.ts';
import type { ErrorFormat } from '../format.ts';
import type { Api } from '../routes.ts';
import { base64Of, dimensionsOf, ranking, tokensInAll, vectorOf } from './vector.ts';

/** Version 2 of Cohere's API. */
export const cohereFormat: ErrorFormat = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  badKey: () => new ApiError(401, 'invalid api token'),
  errorBody: ({ message }, requestId) => ({ id: requestId, message }),
};

function meta(billed: object) {
  return { api_version: { version: '2' }, billed_units: billed };
}

/** Parses a body. Messages of the schema that begin with `*` are whole. @throws ApiError in Cohere's words */
export function validated<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const [issue] = error.issues as [z.core.$ZodIssue];
  if (issue.code === 'unrecognized_keys')
    throw new ApiError(422, `unknown field: parameter '${issue.keys[0]}' is not a valid field`);
  const [whole, path] = [issue.message.startsWith('*'), issue.path.join('.')];
  throw invalid(whole ? issue.message.slice(1) : `${path && `${path}: `}${issue.message}`);
}

export function invalid(problem: string): ApiError {
  return new ApiError(400, `invalid request: ${problem}`);
}

const maxTexts = 96;

const embeddingTypes = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'] as const;
type EmbeddingType = (typeof embeddingTypes)[number];

const dimensions = [256, 512, 1_024, 1_536] as const;

/** An input of texts and images. */
const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
]);
const mixed = z.strictObject({ content: z.array(part).min(1) });

function few<T extends z.ZodType>(items: T, noun: string) {
  return z.array(items).refine(({ length }) => length <= maxTexts, {
    error: ({ input }) =>
      `*total number of ${noun} must be at most ${maxTexts} - received ${(input as unknown[]).length}`,
  });
}

const noModel = '*model must be specified';
const model = z.string({ error: noModel }).min(1, noModel);

const embedRequest = z.strictObject({
  model,
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering', 'image'], {
    error: '*valid input_type must be provided with the provided model',
  }),
  texts: few(z.string(), 'texts').nullish(),
  images: few(z.string(), 'images').nullish(),
  inputs: few(mixed, 'inputs').nullish(),
  max_tokens: z.int().min(1).nullish(),
  output_dimension: z
    .literal(dimensions, { error: `*output_dimension must be one of ${dimensions.join(', ')}` })
    .nullish(),
  embedding_types: z
    .array(z.enum(embeddingTypes, { error: `*embedding_types must be among ${embeddingTypes.join(', ')}` }))
    .nullish(),
  truncate: z.enum(['NONE', 'START', 'END']).nullish(),
  priority: z.int().nullish(),
});
type EmbedRequest = z.infer<typeof embedRequest>;

interface ParsedEmbed {
  model: string;
  texts: string[];
  dimensions: number;
  types: EmbeddingType[];
}

export const cohereEmbed: Api<ParsedEmbed> = {
  format: cohereFormat,
  parse(body) {
    const request = validated(embedRequest, body);
    const { model, output_dimension: length, embedding_types: types } = request;
    const dimensions = length ?? dimensionsOf(model);
    return { model, texts: textsOf(request), dimensions, types: types?.length ? types : ['float'] };
  },
  answer({ model, texts, dimensions, types }, mark) {
    const vectors = texts.map(text => vectorOf(text, dimensions));
    const tokens = tokensInAll(texts);
    const body = {
      id: withMark('e0e1f2a3-0000-4000-8000-000000000000', mark),
      embeddings: Object.fromEntries(types.map(type => [type, vectors.map(written[type])])),
      texts,
      meta: meta({ input_tokens: tokens }),
      response_type: 'embeddings_by_type',
    };
    return immediate(model, body, tokens);
  },
};

/** The inputs as texts. An image is represented by its URL. */
function textsOf({ texts, images, inputs }: EmbedRequest): string[] {
  const given = [texts, images, inputs].filter(list => list?.length);
  if (given.length !== 1) throw invalid('exactly one of texts, images or inputs must be provided');
  if (inputs?.length)
    return inputs.map(({ content }) =>
      content.map(one => (one.type === 'text' ? one.text : one.image_url.url)).join('\n'),
    );
  return texts?.length ? texts : (images ?? []);
}

const written: Record<EmbeddingType, (vector: Float32Array) => number[] | string> = {
  float: vector => [...vector],
  int8: vector => Array.from(vector, byteOf),
  uint8: vector => Array.from(vector, number => byteOf(number) + 128),
  binary: vector => bitsOf(vector).map(byte => byte - 128),
  ubinary: bitsOf,
  base64: base64Of,
};

function byteOf(number: number): number {
  return Math.round(number * 127);
}

/** One bit for each number, the highest bit first: 1 is positive. */
function bitsOf(vector: Float32Array): number[] {
  const bytes = new Uint8Array(Math.ceil(vector.length / 8));
  for (const [at, number] of vector.entries())
    if (number > 0) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7));
  return [...bytes];
}

const maxDocuments = 10_000;
const documentsPerSearch = 100;
const noQuery = '*query must not be empty or be only whitespace';
const noDocuments = '*list of documents must not be empty';

const rerankRequest = z.strictObject({
  model,
  query: z.string({ error: noQuery }).trim().min(1, noQuery),
  documents: z
    .array(z.string({ error: '*documents must be strings' }), { error: noDocuments })
    .min(1, noDocuments)
    .max(maxDocuments, `*total number of documents must be at most ${maxDocuments}`),
  top_n: z.int().min(1, '*top_n must be at least 1').nullish(),
  max_tokens_per_doc: z.int().min(1).nullish(),
  priority: z.int().nullish(),
});

export const cohereRerank: Api<z.infer<typeof rerankRequest>> = {
  format: cohereFormat,
  parse: body => validated(rerankRequest, body),
  answer({ model, query, documents, top_n: top }, mark) {
    const ranked = ranking(query, documents).slice(0, top ?? documents.length);
    const body = {
      id: withMark('a0a1b2c3-0000-4000-8000-000000000000', mark),
      results: ranked.map(({ index, score }) => ({ index, relevance_score: score })),
      meta: meta({ search_units: Math.ceil(documents.length / documentsPerSearch) }),
    };
    return immediate(model, body, tokensInAll([query, ...documents]));
  },
};
