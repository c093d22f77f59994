import type { EmbedRequest } from '@model-gateway/canonical';
import { camelCase, type VertexEmbedContentRequestParams } from '@model-gateway/wire';
import type { CanonicalInput, UpstreamRequest } from '../dialect.ts';
import { taskTypes } from '../embed-content/encode.ts';
import { inputTexts } from '../embedding-dialect.ts';
import { JsonBody, withoutDropped, withoutUndefined } from '../request-body.ts';
import { unsupported } from '../unsupported.ts';

/** Writes a request of one text, as Google's SDK does. */
export function encode({ request, drop }: CanonicalInput<EmbedRequest>): UpstreamRequest {
  const { inputs, task, title, dimensions, truncate } = request;
  const [text, ...more] = inputTexts(inputs);
  if (text === undefined || more.length > 0)
    throw unsupported('inputs', "this model's provider embeds one text at a time");
  const settings = {
    taskType: task && taskTypes[task],
    title,
    outputDimensionality: dimensions,
    autoTruncate: truncate,
  };
  const config = withoutUndefined(withoutDropped(settings, drop.map(camelCase)));
  const body: VertexEmbedContentRequestParams = {
    content: { role: 'user', parts: [{ text }] },
    ...(Object.keys(config).length > 0 && { embedContentConfig: config }),
  };
  return { path: ':embedContent', body: new JsonBody(body) };
}
