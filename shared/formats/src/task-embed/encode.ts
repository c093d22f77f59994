import type { EmbedInput, EmbedRequest, EmbedTask } from '@model-gateway/canonical';
import type {
  JinaEmbedRequestParams,
  NimEmbedRequestParams,
  VoyageEmbedRequestParams,
} from '../embeddings/types.ts';
import { inputTexts } from '../upstream/embedding-dialect.ts';

/** Voyage has types for search alone: vectors for another task are made without one. Floats come as numbers. */
export function writeVoyage(model: string, request: EmbedRequest): VoyageEmbedRequestParams {
  const { inputs, task, dimensions, truncate, encoding, numbers } = request;
  return {
    ...{ model, input: inputTexts(inputs), output_dimension: dimensions, truncation: truncate },
    input_type: task && voyageTypes[task],
    output_dtype: numbers,
    encoding_format: numbers !== undefined && encoding === 'base64' ? 'base64' : undefined,
  };
}

const voyageTypes: Record<EmbedTask, VoyageEmbedRequestParams['input_type']> = {
  query: 'query',
  document: 'document',
  similarity: undefined,
  classification: undefined,
  clustering: undefined,
  'question-answering': 'query',
  'fact-verification': 'query',
  'code-query': 'query',
};

/** Jina's models differ in tasks: a task that only some of them have becomes the retrieval of passages by a query. */
export function writeJina(model: string, request: EmbedRequest): JinaEmbedRequestParams {
  const { inputs, task, dimensions, truncate, encoding, numbers } = request;
  return {
    ...{ model, input: inputs.map(withoutTokens), dimensions, truncate },
    task: task && jinaTasks[task],
    embedding_type: numbers ?? (encoding === 'base64' ? 'base64' : undefined),
  };
}

/** Returns an input as it is: Jina's models take images as objects, and refuse those that they do not take. */
function withoutTokens(input: EmbedInput): string | Record<string, unknown> {
  return Array.isArray(input) ? (inputTexts([input])[0] as string) : input;
}

const jinaTasks: Record<EmbedTask, JinaEmbedRequestParams['task']> = {
  query: 'retrieval.query',
  document: 'retrieval.passage',
  similarity: 'text-matching',
  classification: 'classification',
  clustering: 'separation',
  'question-answering': 'retrieval.query',
  'fact-verification': 'retrieval.query',
  'code-query': 'retrieval.query',
};

/** NVIDIA's retrieval models require a type, which is that of passages by default. */
export function writeNim(model: string, request: EmbedRequest): NimEmbedRequestParams {
  const { inputs, task = 'document', dimensions, truncate, encoding, user } = request;
  return {
    ...{ model, input: inputTexts(inputs), dimensions, encoding_format: encoding, user },
    input_type: nimTypes[task],
    truncate: truncate === undefined ? undefined : truncate ? 'END' : 'NONE',
  };
}

const nimTypes: Record<EmbedTask, NimEmbedRequestParams['input_type']> = {
  query: 'query',
  document: 'passage',
  similarity: 'passage',
  classification: 'passage',
  clustering: 'passage',
  'question-answering': 'query',
  'fact-verification': 'query',
  'code-query': 'query',
};
