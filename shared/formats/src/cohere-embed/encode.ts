import type { EmbedRequest, EmbedTask } from '@model-gateway/canonical';
import type { CohereEmbedRequestParams } from '../embeddings/types.ts';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { inputTexts } from '../upstream/embedding-dialect.ts';
import { writtenBody } from '../upstream/request-body.ts';

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
