import { z } from 'zod';
import { bedrockErrors, invalid as invalidAtBedrock, modelIn } from '../bedrock/errors.ts';
import { openai } from '../chat/format.ts';
import { ApiError, validatedBy } from '../common/api-error.ts';
import { bearer } from '../common/body.ts';
import { immediate } from '../common/delivery.ts';
import type { ErrorFormat } from '../common/format.ts';
import { validated as validatedByOpenAi } from '../common/openai-error.ts';
import type { Api } from '../common/routes.ts';
import { type Mark, withMark } from '../common/stream-faults.ts';
import { embedder, numbers } from './embeddings.ts';
import { base64Of, maxDimensions, ranking, tokensIn, tokensInAll } from './vector.ts';

type Ranked = ReturnType<typeof ranking>[number];

/** A request to rank documents, as its vendor's API reads it. */
interface Ranking {
  model: string;
  query: string;
  documents: string[];
  /** The most documents in the answer; all by default. */
  top?: number | null | undefined;
  /** Returns the answer in the vendor's shape. */
  body(ranked: Ranked[], tokens: number, mark?: Mark): unknown;
}

/** An API that ranks documents. `read` throws an ApiError as the vendor would. */
function reranker(format: ErrorFormat, read: (body: unknown, url: string) => Ranking): Api<Ranking> {
  return {
    format,
    parse: (body, _headers, url) => read(body, url),
    answer({ model, query, documents, top, body }, mark) {
      const tokens = tokensInAll([query, ...documents]);
      const ranked = ranking(query, documents).slice(0, top || documents.length);
      return immediate(model, body(ranked, tokens, mark), tokens);
    },
  };
}

const maxDocumentsOfJina = 2_048;

/** The fields of Jina and of vLLM. Fields that only one of them has are ignored. */
const jinaRerank = z.looseObject({
  model: z.string().min(1),
  query: z.string().min(1),
  documents: z
    .array(z.union([z.string(), z.looseObject({ text: z.string() })]))
    .min(1)
    .max(maxDocumentsOfJina),
  top_n: z.int().min(0).nullish(),
  return_documents: z.boolean().nullish(),
});

/**
 * Reranking as in Jina and vLLM, with vLLM's errors, which are those of chat. One body is for clients of both: documents are repeated
 * by default, and `top_n: 0` is all.
 */
export const rerank = reranker(openai, body => {
  const {
    model,
    query,
    top_n: top,
    return_documents: repeats,
    ...request
  } = validatedByOpenAi(jinaRerank, body);
  const documents = request.documents.map(one => (typeof one === 'string' ? one : one.text));
  return {
    model,
    query,
    documents,
    top,
    body: (ranked, tokens, mark) => ({
      id: withMark('rerank-5e1f0c2a', mark),
      object: 'list',
      model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
      results: ranked.map(({ index, score }) => ({
        index,
        ...(repeats !== false && { document: { text: documents[index] } }),
        relevance_score: score,
      })),
    }),
  };
});

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
export const validated = validatedBy(({ issues: [issue] }) => {
  if (issue.code === 'unrecognized_keys')
    return new ApiError(422, `unknown field: parameter '${issue.keys[0]}' is not a valid field`);
  const [whole, path] = [issue.message.startsWith('*'), issue.path.join('.')];
  return invalid(whole ? issue.message.slice(1) : `${path && `${path}: `}${issue.message}`);
});

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

const cohereEmbedRequest = z.strictObject({
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
type CohereEmbedRequest = z.infer<typeof cohereEmbedRequest>;

export const cohereEmbed = embedder(cohereFormat, body => {
  const request = validated(cohereEmbedRequest, body);
  const types = request.embedding_types?.length ? request.embedding_types : (['float'] as const);
  const texts = textsOf(request);
  return {
    model: request.model,
    texts,
    dimensions: request.output_dimension,
    body: (vectors, tokens, mark) => ({
      id: withMark('e0e1f2a3-0000-4000-8000-000000000000', mark),
      embeddings: Object.fromEntries(types.map(type => [type, vectors.map(written[type])])),
      texts,
      meta: meta({ input_tokens: tokens }),
      response_type: 'embeddings_by_type',
    }),
  };
});

/** The inputs as texts. An image is represented by its URL. */
function textsOf({ texts, images, inputs }: CohereEmbedRequest): string[] {
  const given = [texts, images, inputs].filter(list => list?.length);
  if (given.length !== 1) throw invalid('exactly one of texts, images or inputs must be provided');
  if (inputs?.length)
    return inputs.map(({ content }) =>
      content.map(one => (one.type === 'text' ? one.text : one.image_url.url)).join('\n'),
    );
  return texts?.length ? texts : (images ?? []);
}

const written: Record<EmbeddingType, (vector: Float32Array) => number[] | string> = {
  float: numbers,
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

const cohereRerankRequest = z.strictObject({
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

export const cohereRerank = reranker(cohereFormat, body => {
  const { model, query, documents, top_n: top } = validated(cohereRerankRequest, body);
  return {
    model,
    query,
    documents,
    top,
    body: (ranked, _tokens, mark) => ({
      id: withMark('a0a1b2c3-0000-4000-8000-000000000000', mark),
      results: ranked.map(({ index, score }) => ({ index, relevance_score: score })),
      meta: meta({ search_units: Math.ceil(documents.length / documentsPerSearch) }),
    }),
  };
});

const titanRequest = z.strictObject({
  inputText: z.string().min(1),
  dimensions: z.literal([1_024, 512, 256]).optional(),
  normalize: z.boolean().optional(),
  embeddingTypes: z.array(z.literal('float')).optional(),
});

/** @throws ApiError in the words of Bedrock */
const validatedByBedrock = validatedBy(({ issues: [{ path, message }] }) =>
  invalidAtBedrock(`Malformed input request: #/${path.join('/')}: ${message}, please reformat.`),
);

/** InvokeModel of Amazon's Titan text embeddings, of the second generation. */
export const titanEmbed = embedder(bedrockErrors, (body, url) => {
  const { inputText, dimensions } = validatedByBedrock(titanRequest, body);
  return {
    model: modelIn(url),
    texts: [inputText],
    dimensions,
    body([vector = new Float32Array()], tokens) {
      const embedding = numbers(vector);
      return { embedding, embeddingsByType: { float: embedding }, inputTextTokenCount: tokens };
    },
  };
});

const bedrockCohereRequest = z.strictObject({
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
  texts: z.array(z.string()).min(1).max(96),
  embedding_types: z.array(z.literal('float')).optional(),
  output_dimension: z.literal([256, 512, 1_024, 1_536]).optional(),
  truncate: z.enum(['NONE', 'START', 'END', 'LEFT', 'RIGHT']).optional(),
});

/** The words of a generation for the ends of an input. */
const ends = { v3: ['START', 'END'], v4: ['LEFT', 'RIGHT'] };

/** InvokeModel of Cohere's Embed. Its answers report no tokens. */
export const cohereEmbedOnBedrock = embedder(bedrockErrors, (body, url) => {
  const request = validatedByBedrock(bedrockCohereRequest, body);
  const { texts, truncate = 'NONE', output_dimension: dimensions, embedding_types: types } = request;
  const model = modelIn(url);
  const isV4 = model.includes('embed-v4');
  if (!['NONE', ...ends[isV4 ? 'v4' : 'v3']].includes(truncate))
    throw invalidAtBedrock(`Malformed input request: #/truncate: ${truncate} is not a valid enum value`);
  if (dimensions && !isV4)
    throw invalidAtBedrock('Malformed input request: #: extraneous key [output_dimension] is not permitted');
  return {
    model,
    texts,
    dimensions,
    body: vectors => ({
      id: 'e0e1f2a3-0000-4000-8000-000000000000',
      response_type: types ? 'embeddings_by_type' : 'embeddings_floats',
      embeddings: types ? { float: vectors.map(numbers) } : vectors.map(numbers),
      texts,
    }),
  };
});

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

const validatedByTei = validatedBy(({ issues: [{ path, message }] }) => {
  const reason = `${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`;
  return new ApiError(422, `Failed to deserialize the JSON body into the target type: ${reason}`);
});

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
function modelInTei(url: string): string {
  const [, model] = /^\/tei\/([^?]+)\/[^/?]+(?:\?|$)/.exec(url) ?? [];
  return model === undefined ? defaultModel : decodeURIComponent(model);
}

const teiInput = z.union([z.string(), z.array(z.int().min(0))]);
const teiEmbedRequest = z.looseObject({
  inputs: z.union([z.string(), z.array(teiInput), z.array(z.int().min(0))]),
  normalize: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
  dimensions: z.int().min(1).max(maxDimensions).nullish(),
});

export const teiEmbed = embedder(teiFormat, (body, url) => {
  const { inputs, truncate, dimensions } = validatedByTei(teiEmbedRequest, body);
  const list = typeof inputs === 'string' || typeof inputs[0] === 'number' ? [inputs] : inputs;
  const texts = list.map(one => (Array.isArray(one) ? one.join(' ') : String(one)));
  checkBatch('inputs', texts);
  for (const text of texts) checkLength(tokensIn(text), truncate);
  return { model: modelInTei(url), texts, dimensions, body: vectors => vectors.map(numbers) };
});

const teiRerankRequest = z.looseObject({
  query: z.string(),
  texts: z.array(z.string()),
  raw_scores: z.boolean().nullish(),
  return_text: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
});

export const teiRerank = reranker(teiFormat, (body, url) => {
  const {
    query,
    texts,
    truncate,
    raw_scores: isRaw,
    return_text: repeats,
  } = validatedByTei(teiRerankRequest, body);
  checkBatch('texts', texts);
  for (const text of texts) checkLength(tokensIn(query + text), truncate);
  return {
    model: modelInTei(url),
    query,
    documents: texts,
    body: (ranked, _tokens, mark) =>
      ranked.map(({ index, raw, score }) => ({
        index,
        ...(repeats && { text: withMark(texts[index] ?? '', mark) }),
        score: isRaw ? raw : score,
      })),
  };
});
