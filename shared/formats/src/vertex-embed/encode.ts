import type { EmbedRequest } from '@model-gateway/canonical';
import type { VertexEmbedRequestParams } from '../embeddings/types.ts';
import { camelCase } from '../generate-content/case.ts';
import type { CanonicalInput, UpstreamRequest } from '../upstream/dialect.ts';
import { inputTexts } from '../upstream/embedding-dialect.ts';
import { taskTypes } from '../upstream/encode-google-task.ts';
import { JsonBody, withoutDropped, withoutUndefined } from '../upstream/request-body.ts';

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
