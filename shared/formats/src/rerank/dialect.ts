import { type RerankRequest, renamePath, type WireFormat } from '@model-gateway/canonical';
import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { CanonicalInput, Dialect, UpstreamFields } from '../upstream/dialect.ts';
import { writtenBody } from '../upstream/request-body.ts';
import { decodeResult, ResultDecoder } from '../upstream/result.ts';
import { readRanked } from './decode.ts';
import { writeCohere, writeJina, writeTei, writeVoyage } from './encode.ts';

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
export function rankingDialect({ format, path, fields, write }: Ranking): Dialect<Input> {
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
  write: writeJina,
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
