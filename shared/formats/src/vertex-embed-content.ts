import { type EmbedRequest, renamePath } from '@model-gateway/canonical';
import { readEmbeddings } from './embed-content/decode.ts';
import type { VertexEmbedContentRequestParams } from './embeddings/types.ts';
import { camelCase } from './generate-content/case.ts';
import { decodeFailure } from './upstream/decode-google-failure.ts';
import type { CanonicalInput, UpstreamFields, UpstreamRequest } from './upstream/dialect.ts';
import { embeddingDialect, inputTexts } from './upstream/embedding-dialect.ts';
import { encodeTask } from './upstream/encode-google-task.ts';
import { JsonBody, withoutDropped, withoutUndefined } from './upstream/request-body.ts';
import type { ReadResult } from './upstream/result.ts';
import { unsupported } from './upstream/unsupported.ts';
import type { VectorForm } from './upstream/vectors.ts';

/** Writes a request of one text, as Google's SDK does. */
export function encode({ request, model, drop }: CanonicalInput<EmbedRequest>): UpstreamRequest {
  const { inputs, dimensions, truncate } = request;
  const [text, ...more] = inputTexts(inputs);
  if (text === undefined || more.length > 0)
    throw unsupported('inputs', "this model's provider embeds one text at a time");
  const { fields: task, textOf } = encodeTask(model, request, drop);
  const settings = {
    ...task,
    outputDimensionality: dimensions,
    autoTruncate: truncate,
  };
  const config = withoutUndefined(withoutDropped(settings, drop.map(camelCase)));
  const body: VertexEmbedContentRequestParams = {
    content: { role: 'user', parts: [{ text: textOf(text) }] },
    ...(Object.keys(config).length > 0 && { embedContentConfig: config }),
  };
  return { path: ':embedContent', body: new JsonBody(body) };
}

/** Reads the one vector of an answer, in the shape of Gemini's. */
export function readEmbedding(body: unknown, form: VectorForm): ReadResult | undefined {
  return readEmbeddings(body, 1, form);
}

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  content: 'inputs',
  'embedContentConfig.outputDimensionality': 'dimensions',
  'embedContentConfig.autoTruncate': 'truncate',
};

/** The `embedContent` API of Vertex AI, for models of embeddings since Gemini Embedding 2. */
export const vertexEmbedContentDialect = embeddingDialect<CanonicalInput<EmbedRequest>>({
  format: 'vertex-embed-content',
  bodies: ['canonical'],
  encode,
  decodeFailure,
  pathOf: param => renamePath(param, fields),
  read: input => body => readEmbedding(body, input.request),
});
