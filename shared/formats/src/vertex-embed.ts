import { type EmbedRequest, noUsage, renamePath } from '@model-gateway/canonical';
import type { VertexEmbedRequestParams } from './embeddings/types.ts';
import { camelCase } from './generate-content/case.ts';
import { decodeFailure } from './upstream/decode-google-failure.ts';
import type { CanonicalInput, UpstreamFields, UpstreamRequest } from './upstream/dialect.ts';
import { embeddingDialect, inputTexts } from './upstream/embedding-dialect.ts';
import { taskTypes } from './upstream/encode-google-task.ts';
import { objectIn } from './upstream/read-json.ts';
import { JsonBody, withoutDropped, withoutUndefined } from './upstream/request-body.ts';
import type { ReadResult } from './upstream/result.ts';
import { readVectors, type VectorForm, vectorCount } from './upstream/vectors.ts';

/** Writes a request: an instance for each input, which repeats the purpose. */
export function encode({ request, drop }: CanonicalInput<EmbedRequest>): UpstreamRequest {
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
export function readEmbeddings(
  body: unknown,
  count: number | undefined,
  form: VectorForm,
): ReadResult | undefined {
  const predictions = objectIn(body)?.predictions;
  if (!Array.isArray(predictions)) return undefined;
  const embeddings = predictions.map(prediction => objectIn(objectIn(prediction)?.embeddings));
  const vectors = readVectors(
    embeddings.map(embedding => embedding?.values),
    form,
    count,
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

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  instances: 'inputs',
  'parameters.outputDimensionality': 'dimensions',
  'parameters.autoTruncate': 'truncate',
};

/** The `predict` API of Vertex AI's models for text embeddings. */
export const vertexEmbedDialect = embeddingDialect<CanonicalInput<EmbedRequest>>({
  format: 'vertex-embed',
  bodies: ['canonical'],
  encode,
  decodeFailure,
  pathOf: param => renamePath(param, fields),
  read: input => body => readEmbeddings(body, vectorCount(input), input.request),
});
