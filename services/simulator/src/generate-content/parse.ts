import type { IncomingHttpHeaders } from 'node:http';
import { generateContent as endpoint } from '@model-gateway/formats/generate-content';
import { ApiError } from '../common/api-error.ts';
import type { ParsedRequest } from '../common/format.ts';
import type { Size } from '../images/png.ts';
import { readPrompt } from '../responder/read-prompt.ts';
import { checkContents } from './checks.ts';
import {
  type GenerateRequest,
  type GenerationConfig,
  generateCount,
  generateRequest,
  scales,
  sizes,
} from './request.ts';
import { badRequest, validated } from './validation-error.ts';

export interface ParsedGenerate extends ParsedRequest {
  /** True for server-sent events, false for one JSON array. */
  events: boolean;
  showsThoughts: boolean;
  searches: boolean;
  image: (Size & { prompt: string; withText: boolean }) | null;
}

/** @throws ApiError as the vendor would */
export function parse(body: unknown, _headers: IncomingHttpHeaders, url: string): ParsedGenerate {
  return read(targetOf(url), validated(generateRequest, body));
}

/** Parses a request to count tokens. @throws ApiError as the vendor would */
export function parseCount(body: unknown, _headers: IncomingHttpHeaders, url: string): ParsedGenerate {
  const { contents, generateContentRequest: whole } = validated(generateCount, body);
  if (contents && whole)
    throw badRequest('contents and generate_content_request are mutually exclusive.', 'contents');
  const request = whole ?? (contents?.length ? { contents } : undefined);
  if (!request) throw badRequest('* CountTokensRequest.contents: contents is not specified', 'contents');
  return read(targetOf(url), request);
}

function read({ model, method, events }: Target, request: GenerateRequest): ParsedGenerate {
  checkContents(request.contents);
  checkTools(request);
  checkRest(request);
  const bare = request.generationConfig?.responseMimeType === 'text/x.enum';
  const generationConfig = {
    ...request.generationConfig,
    ...(bare && { responseMimeType: 'application/json' as const }),
  };
  const { prompt, searches, parsed } = readPrompt(endpoint, { ...request, generationConfig }, anyUrl);
  const image = readImage(generationConfig, prompt.question);
  if (bare && prompt.output.kind === 'schema') prompt.output.bare = true;
  return {
    prompt: { ...prompt, model, ...(image && { images: 1 }) },
    stream: method === 'streamGenerateContent',
    ...(!events && { streamType: 'application/json' }),
    events,
    showsThoughts: parsed.rendering.showThoughts,
    searches,
    image,
  };
}

/** The model's name is read by {@link targetOf}, for all paths of the vendor. */
const anyUrl = '/v1beta/models/any:generateContent';

function checkRest({ safetySettings, cachedContent, generationConfig: config = {} }: GenerateRequest): void {
  const categories = (safetySettings ?? []).map(({ category }) => category);
  if (new Set(categories).size < categories.length)
    throw badRequest('* GenerateContentRequest.safety_settings: duplicate category');
  if (cachedContent) throw new ApiError(403, 'CachedContent not found (or permission denied)');
  const { logprobs, responseLogprobs, responseMimeType: type, thinkingConfig: thinking } = config ?? {};
  if (typeof logprobs === 'number' && !responseLogprobs)
    throw badRequest('logprobs is only valid when response_logprobs is true.', 'generation_config.logprobs');
  const schemas = [config?.responseSchema, config?.responseJsonSchema ?? config?._responseJsonSchema];
  const [schema, more] = schemas.filter(one => one !== undefined && one !== null);
  if (more !== undefined)
    throw badRequest('response_schema and response_json_schema are mutually exclusive.', 'generation_config');
  if (schema !== undefined && type !== 'application/json' && type !== 'text/x.enum')
    throw badRequest('A response schema is only valid with the response mime type application/json.');
  if (thinking?.thinkingLevel && thinking.thinkingBudget != null)
    throw badRequest('You can only set only one of thinking budget and thinking level.');
}

/** The image in the answer; null if no image is requested. */
function readImage(config: GenerationConfig, prompt: string): ParsedGenerate['image'] {
  const { responseModalities: modalities, imageConfig } = config;
  if (!modalities?.includes('IMAGE')) return null;
  const [width, height] = sizes[imageConfig?.aspectRatio ?? '1:1'];
  const scale = scales[imageConfig?.imageSize ?? '1K'];
  return { prompt, width: width * scale, height: height * scale, withText: modalities.includes('TEXT') };
}

/** Checks the functions and the calling mode. @throws ApiError */
function checkTools({ tools, toolConfig }: GenerateRequest): void {
  const declared = (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
  const names = declared.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw badRequest(`Duplicate function declaration found: ${twice}`);
  const both = declared.find(({ parameters, parametersJsonSchema: json }) => parameters && json != null);
  if (both)
    throw badRequest(
      `Function '${both.name}': parameters and parameters_json_schema are mutually exclusive.`,
    );
  const { mode, allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {};
  if (mode === 'ANY' && names.length === 0)
    throw badRequest('Function calling config is set without function_declarations.');
  const allowed = allowedFunctionNames ?? [];
  if (allowed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED')
    throw badRequest('allowed_function_names is only valid with the function calling mode ANY or VALIDATED.');
  const missing = allowed.find(name => !names.includes(name));
  if (missing !== undefined)
    throw badRequest(`allowed_function_names '${missing}' is not found in function_declarations.`);
}

interface Target extends Pick<ParsedGenerate, 'events'> {
  model: string;
  method: string;
}

/** Reads `/v1beta/models/{model}:{method}?alt=sse`; the model may contain `/` and `:`. @throws ApiError */
export function targetOf(url: string): Target {
  const [path = ''] = url.split('?');
  const [, model, method] = /\/models\/(.+):([^:]*)$/.exec(path) ?? [];
  if (!model || !method) throw new ApiError(404, 'The requested URL was not found on this server.');
  return { model: decoded(model), method, events: queryOf(url).get('alt') === 'sse' };
}

export function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}

/** True for a stream that is one JSON array. Its errors are in an array, too. */
export function inArray(url: string): boolean {
  const [path = ''] = url.split('?');
  return path.endsWith(':streamGenerateContent') && queryOf(url).get('alt') !== 'sse';
}

function decoded(model: string): string {
  try {
    return decodeURIComponent(model);
  } catch {
    throw new ApiError(400, 'The model in the path is not a valid name.');
  }
}

/** The paths of a method, for all models. */
export function generateContentPath(method: string): RegExp {
  return new RegExp(`^/v1(?:beta|alpha)?/models/.+:${method}$`);
}
