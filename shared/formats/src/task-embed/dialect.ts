import { type EmbedRequest, renamePath, type WireFormat } from '@model-gateway/canonical';
import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { CanonicalInput, Dialect, UpstreamFields } from '../upstream/dialect.ts';
import { embeddingDialect } from '../upstream/embedding-dialect.ts';
import { writtenBody } from '../upstream/request-body.ts';
import { vectorCount } from '../upstream/vectors.ts';
import { readVectorsOf } from './decode.ts';
import { writeJina, writeNim, writeVoyage } from './encode.ts';

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
