import { type EmbedRequest, renamePath } from '@model-gateway/canonical';
import { decodeAwsFailure, isAwsFailure } from '../upstream/decode-aws-failure.ts';
import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { CanonicalInput, UpstreamFields } from '../upstream/dialect.ts';
import { embeddingDialect } from '../upstream/embedding-dialect.ts';
import { vectorCount } from '../upstream/vectors.ts';
import { readEmbeddings } from './decode.ts';
import { encode } from './encode.ts';

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
