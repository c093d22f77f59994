import {
  type EmbedInput,
  type EmbedRequest,
  type EmbedTask,
  noUsage,
  type WireFormat,
} from '@model-gateway/canonical';
import { encodeTask, readEmbeddings as readContent, taskTypes } from './embed-content.ts';
import { readEmbeddings } from './embeddings.ts';
import { camelCase } from './generate-content/proto-json.ts';
import { readUsageOf } from './upstream/any-usage.ts';
import { decodeAwsFailure, isAwsFailure } from './upstream/decode-aws-failure.ts';
import { decodeFailure as decodeGoogleFailure } from './upstream/decode-google-failure.ts';
import { decodeFailure } from './upstream/decode-openai-failure.ts';
import type { CanonicalInput, UpstreamFields, UpstreamRequest } from './upstream/dialect.ts';
import {
  embeddingDialect,
  inputText,
  inputTexts,
  type RequestedVectors,
  readVectors,
} from './upstream/embeddings.ts';
import { objectIn } from './upstream/read-json.ts';
import {
  JsonBody,
  unsupported,
  withoutDropped,
  withoutUndefined,
  writtenBody,
} from './upstream/request-body.ts';
import type { ReadResult } from './upstream/whole-body.ts';

/* The formats of embeddings that only upstreams speak, each of one vendor. */

/** The body of Cohere's `POST /v2/embed`, as in the types of its SDK (`V2EmbedRequest`). */
interface CohereEmbedRequestParams {
  model: string;
  texts: string[];
  input_type: 'search_query' | 'search_document' | 'classification' | 'clustering';
  embedding_types: string[];
  output_dimension?: number;
  /** `RIGHT` is the word of Embed v4 on Amazon Bedrock for `END`. */
  truncate?: 'NONE' | 'START' | 'END' | 'RIGHT';
}

function encodeCohere(input: CanonicalInput<EmbedRequest>): UpstreamRequest {
  const { request, model } = input;
  const drop = [...input.drop, ...(input.differences?.inUrl ?? [])];
  return { path: '/v2/embed', body: writtenBody({ ...input, drop }, writeCohere(model, request)) };
}

/** Writes a request. The API requires `input_type`, which defaults to documents. */
function writeCohere(model: string, request: EmbedRequest): CohereEmbedRequestParams {
  const { inputs, task = 'document', dimensions, truncate, numbers = 'float' } = request;
  return {
    model,
    texts: inputTexts(inputs),
    input_type: cohereTypes[task],
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
const cohereTypes: Record<EmbedTask, CohereEmbedRequestParams['input_type']> = {
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
interface CohereBody {
  embeddings?: unknown[] | Record<string, unknown> | null;
  meta?: unknown;
}

function readCohere(body: unknown, wanted: RequestedVectors): ReadResult | undefined {
  const { embeddings, meta } = (body ?? {}) as CohereBody;
  const { numbers = 'float' } = wanted;
  const list = Array.isArray(embeddings) ? embeddings : embeddings?.[numbers];
  const vectors = Array.isArray(list) ? readVectors(list, wanted) : undefined;
  if (!vectors) return undefined;
  return { result: { type: 'embeddings', model: '', vectors }, usage: readUsageOf({ meta }) };
}

/** Cohere's embed API, version 2, which Amazon Bedrock has by InvokeModel. */
export const cohereEmbedDialect = embeddingDialect({
  format: 'cohere-embed',
  numbers: ['int8', 'uint8', 'binary', 'ubinary'],
  encode: encodeCohere,
  decodeFailure: failure => (isAwsFailure(failure) ? decodeAwsFailure(failure) : decodeFailure(failure)),
  fields: {
    texts: 'inputs',
    input_type: 'task',
    output_dimension: 'dimensions',
    truncate: 'truncate',
    embedding_types: 'numbers',
  },
  read: readCohere,
});

/** The body of InvokeModel for Amazon's Titan text embeddings, from the user guide of Bedrock. The first generation has no `dimensions`. */
interface TitanEmbedRequestParams {
  inputText: string;
  dimensions?: number | undefined;
}

/** Writes a request of one text. The models have no tasks, and refuse an input that is too long. */
function encodeTitan(input: CanonicalInput<EmbedRequest>): UpstreamRequest {
  const { inputs, dimensions, truncate } = input.request;
  if (truncate) throw unsupported('truncate', "this model's provider does not truncate inputs");
  const body: TitanEmbedRequestParams = { inputText: inputText(inputs), dimensions };
  return { path: '/invoke', body: writtenBody(input, body) };
}

/** Reads the vector of an answer, and the tokens of its input. */
function readTitan(body: unknown, wanted: RequestedVectors): ReadResult | undefined {
  const { embedding, inputTextTokenCount: tokens } = objectIn(body) ?? {};
  const vectors = readVectors([embedding], wanted);
  if (!vectors) return undefined;
  return {
    result: { type: 'embeddings', model: '', vectors },
    usage:
      typeof tokens === 'number' ? { ...noUsage, input: tokens, raw: { inputTextTokenCount: tokens } } : null,
  };
}

/** Amazon's Titan text embeddings on Bedrock, which take one text at a time. */
export const titanEmbedDialect = embeddingDialect({
  format: 'titan-embed',
  encode: encodeTitan,
  decodeFailure: decodeAwsFailure,
  fields: { inputText: 'inputs', dimensions: 'dimensions' },
  read: readTitan,
});

/** The body of a request of Vertex AI's `predict` method for text embeddings. */
interface VertexEmbedRequestParams {
  instances: { content: string; task_type?: string; title?: string }[];
  parameters?: { outputDimensionality?: number | undefined; autoTruncate?: boolean | undefined };
}

/** Writes a request: an instance for each input, which repeats the purpose. */
function encodeVertex({ request, drop }: CanonicalInput<EmbedRequest>): UpstreamRequest {
  const dropped = drop.map(camelCase);
  const { inputs, task, title, dimensions, truncate } = request;
  const settings = withoutDropped({ outputDimensionality: dimensions, autoTruncate: truncate }, dropped);
  const parameters = withoutUndefined(settings);
  const body: VertexEmbedRequestParams = {
    instances: inputTexts(inputs).map(content => ({
      content,
      ...(task && !dropped.includes('taskType') && { task_type: taskTypes[task] }),
      ...(title && !dropped.includes('title') && { title }),
    })),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
  return { path: ':predict', body: new JsonBody(body) };
}

/** Reads the vectors of a response, and the sum of the tokens of its inputs. */
function readVertex(body: unknown, wanted: RequestedVectors): ReadResult | undefined {
  const predictions = objectIn(body)?.predictions;
  if (!Array.isArray(predictions)) return undefined;
  const embeddings = predictions.map(prediction => objectIn(objectIn(prediction)?.embeddings));
  const vectors = readVectors(
    embeddings.map(embedding => embedding?.values),
    wanted,
  );
  if (!vectors) return undefined;
  const tokens = embeddings.map(embedding => objectIn(embedding?.statistics)?.token_count);
  const known = tokens.every(token => typeof token === 'number');
  const input = known ? tokens.reduce((sum, token) => sum + token, 0) : 0;
  return {
    result: { type: 'embeddings', model: '', vectors },
    usage: known ? { ...noUsage, input, raw: { token_count: input } } : null,
  };
}

/** The `predict` API of Vertex AI's models for text embeddings. */
export const vertexEmbedDialect = embeddingDialect({
  format: 'vertex-embed',
  encode: encodeVertex,
  decodeFailure: decodeGoogleFailure,
  fields: {
    instances: 'inputs',
    'parameters.outputDimensionality': 'dimensions',
    'parameters.autoTruncate': 'truncate',
  },
  read: readVertex,
});

/** The body of Vertex AI's `embedContent` method, which takes one content. */
interface VertexEmbedContentRequestParams {
  content: { role: 'user'; parts: { text: string }[] };
  embedContentConfig?: {
    taskType?: string | undefined;
    title?: string | undefined;
    outputDimensionality?: number | undefined;
    autoTruncate?: boolean | undefined;
  };
}

/** Writes a request of one text, as Google's SDK does. */
function encodeVertexContent({ request, model, drop }: CanonicalInput<EmbedRequest>): UpstreamRequest {
  const { inputs, dimensions, truncate } = request;
  const text = inputText(inputs);
  const { fields: task, textOf } = encodeTask(model, request, drop);
  const settings = { ...task, outputDimensionality: dimensions, autoTruncate: truncate };
  const config = withoutUndefined(withoutDropped(settings, drop.map(camelCase)));
  const body: VertexEmbedContentRequestParams = {
    content: { role: 'user', parts: [{ text: textOf(text) }] },
    ...(Object.keys(config).length > 0 && { embedContentConfig: config }),
  };
  return { path: ':embedContent', body: new JsonBody(body) };
}

/** The `embedContent` API of Vertex AI, for models of embeddings since Gemini Embedding 2. Its answers have the shape of Gemini's. */
export const vertexEmbedContentDialect = embeddingDialect({
  format: 'vertex-embed-content',
  encode: encodeVertexContent,
  decodeFailure: decodeGoogleFailure,
  fields: {
    content: 'inputs',
    'embedContentConfig.outputDimensionality': 'dimensions',
    'embedContentConfig.autoTruncate': 'truncate',
  },
  read: readContent,
});

/** A request to Voyage's embeddings API, from its SDK (voyageai 0.4, EmbedRequest). */
interface VoyageEmbedRequestParams {
  model: string;
  input: string[];
  input_type?: 'query' | 'document' | undefined;
  output_dimension?: number | undefined;
  output_dtype?: string | undefined;
  encoding_format?: 'base64' | undefined;
  truncation?: boolean | undefined;
}

/** Voyage has types for search alone: vectors for another task are made without one. Floats come as numbers. */
function writeVoyage(model: string, request: EmbedRequest): VoyageEmbedRequestParams {
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

/** A request to Jina's embeddings API (https://api.jina.ai/redoc). */
interface JinaEmbedRequestParams {
  model: string;
  input: (string | Record<string, unknown>)[];
  task?:
    | 'retrieval.query'
    | 'retrieval.passage'
    | 'text-matching'
    | 'classification'
    | 'separation'
    | undefined;
  dimensions?: number | undefined;
  truncate?: boolean | undefined;
  embedding_type?: string | undefined;
}

/** Jina's models differ in tasks: a task that only some of them have becomes the retrieval of passages by a query. */
function writeJina(model: string, request: EmbedRequest): JinaEmbedRequestParams {
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

/** A request to NVIDIA's embeddings API (https://docs.nvidia.com/nim/nemo-retriever/text-embedding/latest/reference.html). */
interface NimEmbedRequestParams {
  model: string;
  input: string[];
  input_type: 'query' | 'passage';
  dimensions?: number | undefined;
  truncate?: 'NONE' | 'END' | undefined;
  encoding_format?: 'float' | 'base64' | undefined;
  user?: string | undefined;
}

/** NVIDIA's retrieval models require a type, which is that of passages by default. */
function writeNim(model: string, request: EmbedRequest): NimEmbedRequestParams {
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
function taskDialect({ format, fields, numbers = [], write }: TaskEmbedding) {
  return embeddingDialect({
    format,
    numbers,
    encode: input => ({ path: '/embeddings', body: writtenBody(input, write(input.model, input.request)) }),
    decodeFailure,
    fields: { input: 'inputs', ...fields },
    read: readEmbeddings,
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
