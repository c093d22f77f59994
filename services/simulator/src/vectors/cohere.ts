import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import { type DeliveryFormat, immediate, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/stream-faults.ts';
import { base64Of, dimensionsOf, ranking, tokensInAll, vectorOf } from './vector.ts';

/** Cohere's second version. */
export const cohere: DeliveryFormat = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  badKey: () => new ApiError(401, 'invalid api token'),
  errorBody: ({ message }, requestId) => ({ id: requestId, message }),
};

function meta(billed: object) {
  return { api_version: { version: '2' }, billed_units: billed };
}

/** The first problem of a body, in the vendor's words. */
function validationError({ issues: [issue] }: z.ZodError): ApiError {
  if (!issue) return invalid('the request is malformed');
  if (issue.message.startsWith('*')) return invalid(issue.message.slice(1));
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return new ApiError(422, `unknown field: parameter '${issue.keys[0]}' is not a valid field`);
  return invalid(path ? `${path}: ${issue.message}` : issue.message);
}

function invalid(what: string): ApiError {
  return new ApiError(400, `invalid request: ${what}`);
}

const maxTexts = 96;

const embeddingTypes = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'] as const;
type EmbeddingType = (typeof embeddingTypes)[number];

const dimensions = [256, 512, 1_024, 1_536] as const;

/** An input of texts and images. */
const mixed = z.strictObject({
  content: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('text'), text: z.string() }),
        z.strictObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
      ]),
    )
    .min(1),
});

function few<T extends z.ZodType>(items: T, what: string) {
  return z.array(items).superRefine(({ length }, context) => {
    if (length > maxTexts)
      context.addIssue({
        code: 'custom',
        message: `*total number of ${what} must be at most ${maxTexts} - received ${length}`,
      });
  });
}

const embedRequest = z.strictObject({
  model: z.string({ error: '*model must be specified' }).min(1, '*model must be specified'),
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

/** @throws ApiError as the vendor would */
export function parseEmbed(body: unknown): ParsedEmbed {
  const { data: request, error } = embedRequest.safeParse(body);
  if (!request) throw validationError(error);
  const { model, output_dimension: dimensions, embedding_types: types } = request;
  return {
    model,
    texts: textsOf(request),
    dimensions: dimensions ?? dimensionsOf(model),
    types: types?.length ? types : ['float'],
  };
}

export function embed({ model, texts, dimensions, types }: ParsedEmbed, mark?: Mark): Outcome {
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
}

/** The inputs as texts. An image counts as its URL. */
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
const noModel = '*model must be specified';
const noQuery = '*query must not be empty or be only whitespace';
const noDocuments = '*list of documents must not be empty';

const rerankRequest = z.strictObject({
  model: z.string({ error: noModel }).min(1, noModel),
  query: z.string({ error: noQuery }).trim().min(1, noQuery),
  documents: z
    .array(z.string({ error: '*documents must be strings' }), { error: noDocuments })
    .min(1, noDocuments)
    .max(maxDocuments, `*total number of documents must be at most ${maxDocuments}`),
  top_n: z.int().min(1, '*top_n must be at least 1').nullish(),
  max_tokens_per_doc: z.int().min(1).nullish(),
  priority: z.int().nullish(),
});
type ParsedRerank = z.infer<typeof rerankRequest>;

/** @throws ApiError as the vendor would */
export function parseRerank(body: unknown): ParsedRerank {
  const { data, error } = rerankRequest.safeParse(body);
  if (!data) throw validationError(error);
  return data;
}

export function rerank({ model, query, documents, top_n: top }: ParsedRerank, mark?: Mark): Outcome {
  const ranked = ranking(query, documents).slice(0, top ?? documents.length);
  const body = {
    id: withMark('a0a1b2c3-0000-4000-8000-000000000000', mark),
    results: ranked.map(({ index, score }) => ({ index, relevance_score: score })),
    meta: meta({ search_units: Math.ceil(documents.length / documentsPerSearch) }),
  };
  return immediate(model, body, tokensInAll([query, ...documents]));
}
