import type { EmbedRequest } from '@model-gateway/canonical';
import { camelCase, type VertexEmbedContentRequestParams } from '@model-gateway/formats';
import type { CanonicalInput, UpstreamRequest } from '../dialect.ts';
import { inputTexts } from '../embedding-dialect.ts';
import { encodeTask } from '../encode-google-task.ts';
import { JsonBody, withoutDropped, withoutUndefined } from '../request-body.ts';
import { unsupported } from '../unsupported.ts';

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
