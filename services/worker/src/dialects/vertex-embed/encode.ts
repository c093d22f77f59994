import type { EmbedRequest } from '@model-gateway/canonical';
import { camelCase, type VertexEmbedRequestParams } from '@model-gateway/formats';
import type { CanonicalInput, UpstreamRequest } from '../dialect.ts';
import { inputTexts } from '../embedding-dialect.ts';
import { taskTypes } from '../encode-google-task.ts';
import { JsonBody, withoutDropped, withoutUndefined } from '../request-body.ts';

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
