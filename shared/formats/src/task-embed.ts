import {
  type EmbedInput,
  type EmbedRequest,
  type EmbedTask,
  renamePath,
  type WireFormat,
} from '@model-gateway/canonical';
import { readEmbeddings } from './embeddings/decode.ts';
import type {
  JinaEmbedRequestParams,
  NimEmbedRequestParams,
  VoyageEmbedRequestParams,
} from './embeddings/types.ts';
import { decodeFailure } from './upstream/decode-openai-failure.ts';
import type { CanonicalInput, Dialect, UpstreamFields } from './upstream/dialect.ts';
import { embeddingDialect, inputTexts } from './upstream/embedding-dialect.ts';
import { writtenBody } from './upstream/request-body.ts';
import type { ReadResult } from './upstream/result.ts';
import { type VectorForm, vectorCount } from './upstream/vectors.ts';

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

/** Reads vectors as numbers or base64, in the shape of OpenAI's answers. */
export function readVectorsOf(
  body: unknown,
  count: number | undefined,
  form: VectorForm,
): ReadResult | undefined {
  return readEmbeddings(body, { count, ...form });
}

type Input = CanonicalInput<EmbedRequest>;

/** One vendor's embeddings API, which is OpenAI's with a task. */
interface TaskEmbedding {
  format: WireFormat;
  fields: UpstreamFields;
  /** The types of numbers other than 32-bit floats. */
  numbers?: readonly string[];
  /** Writes the body of a request. */
  write(model: string, request: EmbedRequest): object;
}

/** Creates a dialect for embeddings by task. Clients name tasks in several ways, so every request is translated. */
function taskDialect({ format, fields, numbers = [], write }: TaskEmbedding): Dialect<Input> {
  return embeddingDialect<Input>({
    format,
    bodies: ['canonical'],
    numbers,
    encode: input => ({ path: '/embeddings', body: writtenBody(input, write(input.model, input.request)) }),
    decodeFailure,
    pathOf: param => renamePath(param, { input: 'inputs', ...fields }),
    read: input => body => readVectorsOf(body, vectorCount(input), input.request),
  });
}

/** Voyage's embeddings API. */
export const voyageEmbedDialect = taskDialect({
  format: 'voyage-embed',
  fields: {
    input_type: 'task',
    output_dimension: 'dimensions',
    truncation: 'truncate',
    output_dtype: 'numbers',
  },
  numbers: ['int8', 'uint8', 'binary', 'ubinary'],
  write: writeVoyage,
});

/** Jina's embeddings API. */
export const jinaEmbedDialect = taskDialect({
  format: 'jina-embed',
  fields: { task: 'task', dimensions: 'dimensions', truncate: 'truncate', embedding_type: 'encoding' },
  numbers: ['binary', 'ubinary'],
  write: writeJina,
});

/** The embeddings API of NVIDIA's NIM. */
export const nimEmbedDialect = taskDialect({
  format: 'nim-embed',
  fields: {
    input_type: 'task',
    dimensions: 'dimensions',
    truncate: 'truncate',
    encoding_format: 'encoding',
    user: 'user',
  },
  write: writeNim,
});
