import { type EmbedRequest, type EmbedTask, renamePath } from '@model-gateway/canonical';
import type { CohereEmbedRequestParams } from './embeddings/types.ts';
import { readUsageOf } from './upstream/any-usage.ts';
import { decodeAwsFailure, isAwsFailure } from './upstream/decode-aws-failure.ts';
import { decodeFailure } from './upstream/decode-openai-failure.ts';
import type { CanonicalInput, UpstreamFields, UpstreamRequest } from './upstream/dialect.ts';
import { embeddingDialect, inputTexts } from './upstream/embedding-dialect.ts';
import { writtenBody } from './upstream/request-body.ts';
import type { ReadResult } from './upstream/result.ts';
import { readVectors, type VectorForm, vectorCount } from './upstream/vectors.ts';

export function encode(input: CanonicalInput<EmbedRequest>): UpstreamRequest {
  const { request, model } = input;
  const drop = [...input.drop, ...(input.differences?.inUrl ?? [])];
  return { path: '/v2/embed', body: writtenBody({ ...input, drop }, translate(model, request)) };
}

/** Writes a request. The API requires `input_type`, which defaults to documents. */
function translate(model: string, request: EmbedRequest): CohereEmbedRequestParams {
  const { inputs, task = 'document', dimensions, truncate, numbers = 'float' } = request;
  return {
    model,
    texts: inputTexts(inputs),
    input_type: inputTypes[task],
    embedding_types: [numbers],
    output_dimension: dimensions,
    truncate: truncate === undefined ? undefined : truncate ? endOf(model) : 'NONE',
  };
}

/** Returns the word for the end of an input: Embed v4 has another one on Amazon Bedrock, whose names of models begin with the vendor. */
function endOf(model: string): 'END' | 'RIGHT' {
  return model.includes('cohere.embed-v4') ? 'RIGHT' : 'END';
}

/** Tasks without their own type use the type for similar use. */
const inputTypes: Record<EmbedTask, CohereEmbedRequestParams['input_type']> = {
  query: 'search_query',
  document: 'search_document',
  similarity: 'clustering',
  classification: 'classification',
  clustering: 'clustering',
  'question-answering': 'search_query',
  'fact-verification': 'search_query',
  'code-query': 'search_query',
};

/** The expected shape of a response. Version 1 has a plain list of vectors. */
interface Body {
  embeddings?: unknown[] | Record<string, unknown> | null;
  meta?: unknown;
}

export function readEmbeddings(
  body: unknown,
  count: number | undefined,
  form: VectorForm,
): ReadResult | undefined {
  const { embeddings, meta } = (body ?? {}) as Body;
  const { numbers = 'float' } = form;
  const list = Array.isArray(embeddings) ? embeddings : embeddings?.[numbers];
  const vectors = Array.isArray(list) ? readVectors(list, form, count) : undefined;
  if (!vectors) return undefined;
  return { result: { type: 'embeddings', model: '', vectors }, usage: readUsageOf({ meta }) };
}

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  texts: 'inputs',
  input_type: 'task',
  output_dimension: 'dimensions',
  truncate: 'truncate',
  embedding_types: 'numbers',
};

/** Cohere's embed API, version 2, which Amazon Bedrock has by InvokeModel. */
export const cohereEmbedDialect = embeddingDialect<CanonicalInput<EmbedRequest>>({
  format: 'cohere-embed',
  bodies: ['canonical'],
  numbers: ['int8', 'uint8', 'binary', 'ubinary'],
  encode,
  decodeFailure: failure => (isAwsFailure(failure) ? decodeAwsFailure(failure) : decodeFailure(failure)),
  pathOf: param => renamePath(param, fields),
  read: input => body => readEmbeddings(body, vectorCount(input), input.request),
});
