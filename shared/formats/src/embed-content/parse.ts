import { isDeepStrictEqual } from 'node:util';
import { type EmbedRequest, type EmbedTask, GatewayError } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import type { FormatEndpoint } from '../client/endpoint.ts';
import { camelCased } from '../generate-content/case.ts';
import { check, fieldsInBothCases, invalid } from '../generate-content/check.ts';
import { readTarget } from '../generate-content/target.ts';
import { batchEmbedRequest, type EmbedContentRequest, embedContentRequest } from './types.ts';

export const fields = fieldsInBothCases(embedContentRequest);

/** @throws GatewayError of kind `invalid-request` */
export const parseEmbed: FormatEndpoint['parse'] = (body, _headers, _text, url) => {
  const { model } = readTarget(url);
  const request = check(embedContentRequest, camelCased(body));
  checkModel(request, model, 'model');
  return {
    type: 'embed',
    model,
    stream: false,
    canonical: () => ({ inputs: [textOf(request, 'content')], ...parseSettings(request, '') }),
    rendering: undefined,
  };
};

/** @throws GatewayError if the body names a different model than the path */
function checkModel({ model }: EmbedContentRequest, inPath: string, param: string): void {
  if (model && nameOf(model) !== nameOf(inPath))
    throw invalid(param, `'${model.slice(0, 100)}' is not the model in the path`);
}

function nameOf(model: string): string {
  return model.replace(/^models\//, '');
}

/**
 * Joins the text parts of a content, one per line.
 * @throws GatewayError for other parts, which only Google embeds
 */
export function textOf({ content }: EmbedContentRequest, param: string): string {
  const texts = content.parts.map(({ text, ...other }, i) => {
    if (typeof text === 'string' && Object.keys(omitNullish(other)).length === 0) return text;
    throw unsupported(`${param}.parts[${i}]`, "this model's provider embeds only text");
  });
  return texts.join('\n');
}

/** Parses the settings of a request. `path` is the request's position, followed by a dot. */
export function parseSettings(
  { model: _, content: __, taskType, title, outputDimensionality, ...others }: EmbedContentRequest,
  path: string,
): Omit<EmbedRequest, 'inputs'> {
  const extensions = omitNullish(others);
  return omitNullish({
    task: taskOf(taskType, `${path}taskType`),
    title,
    dimensions: outputDimensionality,
    extensions: Object.keys(extensions).length > 0 ? { 'embed-content': extensions } : undefined,
  });
}

function taskOf(type: string | null | undefined, param: string): EmbedTask | undefined {
  if (!type || type === 'TASK_TYPE_UNSPECIFIED') return undefined;
  const task = tasks.get(type);
  if (!task) throw invalid(param, `expected one of ${[...tasks.keys()].join(', ')}`);
  return task;
}

function unsupported(param: string, why: string): GatewayError {
  const message = `Unsupported value for '${param}': ${why}.`;
  return new GatewayError('invalid-request', message, { param, code: 'unsupported_value' });
}

const tasks = new Map<string, EmbedTask>([
  ['RETRIEVAL_QUERY', 'query'],
  ['RETRIEVAL_DOCUMENT', 'document'],
  ['SEMANTIC_SIMILARITY', 'similarity'],
  ['CLASSIFICATION', 'classification'],
  ['CLUSTERING', 'clustering'],
  ['QUESTION_ANSWERING', 'question-answering'],
  ['FACT_VERIFICATION', 'fact-verification'],
  ['CODE_RETRIEVAL_QUERY', 'code-query'],
]);

/** @throws GatewayError of kind `invalid-request` */
export const parseBatchEmbed: FormatEndpoint['parse'] = (body, _headers, _text, url) => {
  const { model } = readTarget(url);
  const { requests } = check(batchEmbedRequest, camelCased(body));
  for (const [i, request] of requests.entries()) checkModel(request, model, `requests[${i}].model`);
  return {
    type: 'embed',
    model,
    stream: false,
    inputs: requests.length,
    canonical: () => canonical(requests),
    rendering: undefined,
  };
};

function canonical(requests: readonly EmbedContentRequest[]): EmbedRequest {
  return {
    inputs: requests.map((request, i) => textOf(request, `requests[${i}].content`)),
    ...sharedSettings(requests),
  };
}

/** Returns the settings of all requests. @throws GatewayError if they differ, which only Google supports */
function sharedSettings(requests: readonly EmbedContentRequest[]): Omit<EmbedRequest, 'inputs'> {
  const [first = {}, ...others] = requests.map((request, i) => parseSettings(request, `requests[${i}].`));
  const at = others.findIndex(settings => !isDeepStrictEqual(settings, first));
  if (at < 0) return first;
  throw invalid(
    `requests[${at + 1}]`,
    "taskType, title and outputDimensionality must be the same as in requests[0] for this model's provider",
  );
}
