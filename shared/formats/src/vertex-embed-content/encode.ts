import type { EmbedRequest } from '@model-gateway/canonical';
import type { VertexEmbedContentRequestParams } from '../embeddings/types.ts';
import { camelCase } from '../generate-content/case.ts';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { inputTexts } from '../upstream/embedding-dialect.ts';
import { encodeTask } from '../upstream/encode-google-task.ts';
import { JsonBody, withoutDropped, withoutUndefined } from '../upstream/request-body.ts';
import { unsupported } from '../upstream/unsupported.ts';

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
