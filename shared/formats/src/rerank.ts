import {
  bestFirst,
  GatewayError,
  type Ranked,
  type RerankAnswer,
  type RerankRequest,
  renamePath,
  type WireFormat,
} from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { z } from 'zod';
import { type FormatEndpoint, knownFields, type ResultRenderer } from './client/endpoint.ts';
import { checked } from './client/invalid.ts';
import type { ParsedOperation } from './client/parsed-request.ts';
import { renderChatError, renderChatErrorEvent } from './client/render-errors.ts';
import { readUsageOf } from './upstream/any-usage.ts';
import { decodeFailure } from './upstream/decode-openai-failure.ts';
import type { CanonicalInput, Dialect, UpstreamFields } from './upstream/dialect.ts';
import { readFailure } from './upstream/failure-body.ts';
import { writtenBody } from './upstream/request-body.ts';
import { decodeResult, type ReadResult, ResultDecoder } from './upstream/whole-body.ts';
import { modelName, wholeNumber } from './values/schemas.ts';

/*
 * Rerank, which has no standard: the fields of Cohere's two versions, Jina and vLLM, and a response that all
 * of their clients can read.
 */

const maxDocuments = 10_000;

/** The body of `POST /v1/rerank`. `null` means not set. Default: return_documents false. */
export const rerankRequest = z.looseObject({
  model: modelName,
  query: z.string().min(1),
  documents: z
    .array(
      z.union([z.string(), z.record(z.string(), z.unknown())], {
        error: 'a string or an object with a text',
      }),
    )
    .min(1)
    .max(maxDocuments)
    .describe('Texts, or objects with a text in `text` or in the `rank_fields`.'),
  top_n: wholeNumber({ min: 0 }).nullish().describe('Number of best documents to return; 0 for all.'),
  return_documents: z.boolean().nullish().describe('True if the response includes the documents.'),
  rank_fields: z
    .array(z.string())
    .nullish()
    .describe('Fields to rank of a document that is an object, in this order. Default: `text`.'),
  max_tokens_per_doc: wholeNumber({ min: 1 }).nullish().describe('The most tokens read of each document.'),
});
/** The body of Cohere's `POST /v2/rerank` (`V2RerankRequest` in its SDK), which Jina and vLLM accept too. */
export interface CohereRerankRequestParams {
  model: string;
  query: string;
  documents: string[];
  top_n?: number;
  max_tokens_per_doc?: number;
}

/** The body of `POST /rerank` of Hugging Face's text-embeddings-inference (`RerankRequest` in its OpenAPI file). */
interface TeiRerankRequestParams {
  query: string;
  texts: string[];
  raw_scores: boolean;
  truncate: boolean;
}

export type RerankDocument = z.infer<typeof rerankRequest>['documents'][number];

export interface RerankBody {
  id: string;
  object: 'list';
  model: string;
  results: { index: number; relevance_score: number; document?: Record<string, unknown> }[];
  /** Usage in the form of Jina and vLLM. */
  usage: { prompt_tokens: number; completion_tokens: 0; total_tokens: number };
  /** Usage in Cohere's form. */
  meta: {
    api_version: { version: string };
    billed_units: { search_units: number };
    tokens: { input_tokens: number; output_tokens: 0 };
  };
}

/** A request to Voyage's rerank API, from its SDK (voyageai 0.4, RerankRequest). */
interface VoyageRerankRequestParams {
  model: string;
  query: string;
  documents: string[];
  top_k?: number | undefined;
}

/** Ranks documents by their relevance to a query. */
export const rerank: FormatEndpoint<RerankAnswerOptions> = {
  method: 'POST',
  path: '/v1/rerank',
  format: 'rerank',
  fields: knownFields(rerankRequest),
  parse,
  render: rerankRenderer,
  fieldNames: { top: 'top_n', maxTokens: 'max_tokens_per_doc' },
  renderError: renderRerankError,
  renderErrorEvent: renderChatErrorEvent,
  ping: '',
};

/** The path of clients of Cohere's v2 API. */
export const rerankSecondVersion: FormatEndpoint<RerankAnswerOptions> = { ...rerank, path: '/v2/rerank' };

/** The path of some clients of TEI and vLLM. */
export const rerankWithoutVersion: FormatEndpoint<RerankAnswerOptions> = { ...rerank, path: '/rerank' };

/** Renders an error of the chat format, plus the top-level `message` that clients of Cohere and Jina read. */
function renderRerankError(...[error]: Parameters<FormatEndpoint['renderError']>) {
  const rendered = renderChatError(error);
  return { ...rendered, body: { ...(rendered.body as object), message: error.message } };
}

/** @throws GatewayError of kind `invalid-request` */
function parse(body: Record<string, unknown>): ParsedOperation<RerankAnswerOptions> {
  const data = checked(rerankRequest, body);
  const { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens } = data;
  const fields = [...new Set(data.rank_fields?.length ? data.rank_fields : ['text'])];
  const places = new Map(fields.map((field, at) => [field, at]));
  const texts = documents.map((document, i) => textOf(document, places, `documents[${i}]`));
  return {
    type: 'rerank',
    model,
    stream: false,
    canonical: (): RerankRequest =>
      omitNullish({ query, documents: texts, top: top || undefined, maxTokens }),
    rendering: {
      model,
      count: documents.length,
      returned: data.return_documents ? documents : undefined,
    },
  };
}

/** Returns the text that is ranked: for an object, its fields in the order of `places`, one per line. */
function textOf(document: RerankDocument, places: ReadonlyMap<string, number>, param: string): string {
  if (typeof document === 'string') return document;
  // By the fields of the document: as many names as documents would be looked up in each of them otherwise.
  const named = Object.keys(document).filter(field => places.has(field));
  named.sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
  const texts = named.flatMap(field => document[field] ?? []);
  if (texts.length === 0) throw missing(`${param}.${[...places.keys()][0]}`);
  return texts.map(text => (typeof text === 'string' ? text : JSON.stringify(text))).join('\n');
}

function missing(param: string): GatewayError {
  const message = `Missing required parameter: '${param}'.`;
  return new GatewayError('invalid-request', message, { param, code: 'missing_required_parameter' });
}

/** The number of documents per billed search unit. */
const documentsPerSearch = 100;

/** The fields of a request that affect how its response is rendered. */
interface RerankAnswerOptions {
  model: string;
  /** The number of documents. */
  count: number;
  /** The documents, if the client requested them in the response. */
  returned?: readonly RerankDocument[] | undefined;
}

/** Renders a response that clients of Cohere v1 and v2, Jina and vLLM can read. */
function rerankRenderer({ model, count, returned }: RerankAnswerOptions): ResultRenderer<RerankAnswer> {
  return {
    type: 'result',
    result({ id, model: upstreamModel, ranked }, usage, { requestId }): RerankBody {
      const tokens = usage?.input ?? 0;
      return {
        id: id || requestId.replace(/^req_/, 'rerank-'),
        object: 'list',
        model: upstreamModel || model,
        results: ranked.map(({ index, score }) => ({
          index,
          relevance_score: score,
          ...(returned && { document: asObject(returned[index] ?? '') }),
        })),
        usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
        meta: {
          api_version: { version: '2' },
          billed_units: { search_units: usage?.units?.searches ?? Math.ceil(count / documentsPerSearch) },
          tokens: { input_tokens: tokens, output_tokens: 0 },
        },
      };
    },
  };
}

function asObject(document: RerankDocument): Record<string, unknown> {
  return typeof document === 'string' ? { text: document } : document;
}

type Input = CanonicalInput<RerankRequest>;

/** The path and codec of one rerank format. */
interface Ranking {
  format: WireFormat;
  path: string;
  fields: UpstreamFields;
  /** Writes the body of a request. */
  write(model: string, request: RerankRequest): object;
}

/** Creates a rerank dialect. No client format matches it, so every request and response is translated. */
function rankingDialect({ format, path, fields, write }: Ranking): Dialect<Input> {
  const decoder = (input: Input) => new ResultDecoder(false, body => readRanked(body, input.request));
  return {
    format,
    bodies: ['canonical'],
    choices: 'one',
    encode: input => ({ path, body: writtenBody(input, write(input.model, input.request)) }),
    decodeStream: decoder,
    decodeWhole: decoder,
    decodeBody: (body, input) => decodeResult(body, parsed => readRanked(parsed, input.request)),
    decodeFailure,
    pathOf: param => renamePath(param, fields),
  };
}

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  query: 'query',
  documents: 'documents',
  top_n: 'top',
  max_tokens_per_doc: 'maxTokens',
};

/** Cohere's rerank API, version 2. */
export const cohereRerankDialect = rankingDialect({
  format: 'cohere-rerank',
  path: '/v2/rerank',
  fields,
  write: writeCohere,
});

/** The rerank API of Jina, vLLM and compatible servers. */
export const jinaRerankDialect = rankingDialect({
  format: 'jina-rerank',
  path: '/rerank',
  fields,
  write: writeCohere,
});

/** Voyage's rerank API, whose answers have Jina's shape. */
export const voyageRerankDialect = rankingDialect({
  format: 'voyage-rerank',
  path: '/rerank',
  fields: { query: 'query', documents: 'documents', top_k: 'top' },
  write: writeVoyage,
});

/** The rerank API of Hugging Face's text-embeddings-inference. */
export const teiRerankDialect = rankingDialect({
  format: 'tei-rerank',
  path: '/rerank',
  fields: { query: 'query', texts: 'documents' },
  write: writeTei,
});

/** Omits `return_documents`: some upstreams return documents without it, but others do not know the field. */
function writeCohere(model: string, request: RerankRequest): CohereRerankRequestParams {
  const { query, documents, top, maxTokens } = request;
  return { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens };
}

/** Voyage has no limit of tokens for each document. */
function writeVoyage(model: string, { query, documents, top }: RerankRequest): VoyageRerankRequestParams {
  return { model, query, documents, top_k: top };
}

/** TEI serves one model, returns all ranks and, unlike other APIs, truncates long documents only on request. */
function writeTei(_model: string, { query, documents }: RerankRequest): TeiRerankRequestParams {
  return { query, texts: documents, raw_scores: false, truncate: true };
}

/** The expected shape of a response. TEI and SGLang send only the list, and Voyage uses `data`. */
interface Body {
  id?: unknown;
  model?: unknown;
  results?: unknown;
  data?: unknown;
  usage?: unknown;
  meta?: unknown;
}

/** Reads a response in the shape of Cohere's, Jina's, Voyage's or TEI's. */
function readRanked(body: unknown, request: RerankRequest): ReadResult | undefined {
  const fields: Body = Array.isArray(body) ? { results: body } : ((body ?? {}) as Body);
  const { id, model, results, data } = fields;
  const ranked = readRanking(results === undefined ? data : results, request);
  // An empty list may be null.
  if (!ranked || (ranked.length === 0 && readFailure(body)?.message)) return undefined;
  return {
    result: { type: 'ranking', id: stringOf(id), model: stringOf(model), ranked },
    usage: readUsageOf(fields),
  };
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A document's index and score. Upstreams differ in the score's name. */
interface Item {
  index?: unknown;
  relevance_score?: unknown;
  score?: unknown;
}

/** Reads a ranking, best first; undefined if an index is unknown or repeated, or a score is invalid. A list that is null is empty. */
function readRanking(
  list: unknown,
  { documents, top }: Pick<RerankRequest, 'documents' | 'top'>,
): Ranked[] | undefined {
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const ranked = list.map(readItem);
  const good = ranked.every(({ index, score }) => index in documents && Number.isFinite(score));
  const unique = new Set(ranked.map(({ index }) => index)).size === ranked.length;
  return good && unique ? bestFirst(ranked, top) : undefined;
}

/** Reads an item. Invalid fields become NaN. */
function readItem(item: Item | null): Ranked {
  const { index, relevance_score: relevance, score } = item ?? {};
  const place = numberOf(index);
  return { index: Number.isInteger(place) ? place : Number.NaN, score: numberOf(score ?? relevance) };
}

/** Returns a number, which some servers send as text. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /\d/.test(value) ? Number(value) : Number.NaN;
}
