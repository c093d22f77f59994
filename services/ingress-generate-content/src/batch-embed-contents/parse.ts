import { isDeepStrictEqual } from 'node:util';
import type { EmbedRequest } from '@model-gateway/canonical';
import type { Endpoint } from '@model-gateway/ingress';
import { batchEmbedRequest, camelCased, type EmbedContentRequest } from '@model-gateway/wire';
import { check, invalid } from '../check.ts';
import { checkModel, parseSettings, textOf } from '../embed-content/parse.ts';
import { readTarget } from '../target.ts';
import { batchRenderer } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export const parse: Endpoint['parse'] = (body, _headers, _text, url) => {
  const { model } = readTarget(url);
  const { requests } = check(batchEmbedRequest, camelCased(body));
  for (const [i, request] of requests.entries()) checkModel(request, model, `requests[${i}].model`);
  return {
    model,
    stream: false,
    inputs: requests.length,
    canonical: () => canonical(requests),
    render: batchRenderer,
  };
};

function canonical(requests: readonly EmbedContentRequest[]): EmbedRequest {
  return {
    inputs: requests.map((request, i) => textOf(request, `requests[${i}].content`)),
    ...sharedSettings(requests),
  };
}

/** No other vendor embeds texts of one request in different ways. */
function sharedSettings(requests: readonly EmbedContentRequest[]): Omit<EmbedRequest, 'inputs'> {
  const [first = {}, ...others] = requests.map((request, i) => parseSettings(request, `requests[${i}].`));
  const at = others.findIndex(settings => !isDeepStrictEqual(settings, first));
  if (at < 0) return first;
  throw invalid(
    `requests[${at + 1}]`,
    "taskType, title and outputDimensionality have to be those of requests[0] for this model's provider",
  );
}
