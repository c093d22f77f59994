import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../api-error.ts';
import type { ParsedRequest } from '../format.ts';
import type { Size } from '../images/png.ts';
import { wantsSearch } from '../responder/answer.ts';
import type { Effort, Output, Prompt } from '../responder/prompt.ts';
import { checkContents } from './checks.ts';
import { readConversation, readTools } from './conversation.ts';
import {
  type GenerateRequest,
  type GenerationConfig,
  generateCount,
  generateRequest,
  scales,
  sizes,
} from './request.ts';
import { jsonSchemaOf } from './schema.ts';
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
  const config = request.generationConfig ?? {};
  checkContents(request.contents);
  checkRest(request);
  const conversation = readConversation(request);
  const image = readImage(config, conversation.question);
  const prompt: Prompt = {
    model,
    ...conversation,
    ...readTools(request),
    output: readOutput(config),
    maxTokens: config.maxOutputTokens ?? null,
    stop: (config.stopSequences ?? []).filter(Boolean),
    choices: config.candidateCount ?? 1,
    cachePoints: null,
    effort: readEffort(config),
    ...(image && { images: 1 }),
  };
  return {
    prompt,
    stream: method === 'streamGenerateContent',
    ...(!events && { streamType: 'application/json' }),
    events,
    showsThoughts: config.thinkingConfig?.includeThoughts ?? false,
    searches: maySearch(request) && wantsSearch(conversation),
    image,
  };
}

function checkRest({ safetySettings, cachedContent, generationConfig }: GenerateRequest): void {
  const categories = (safetySettings ?? []).map(({ category }) => category);
  if (new Set(categories).size < categories.length)
    throw badRequest('* GenerateContentRequest.safety_settings: duplicate category');
  if (cachedContent) throw new ApiError(403, 'CachedContent not found (or permission denied)');
  if (typeof generationConfig?.logprobs === 'number' && !generationConfig.responseLogprobs)
    throw badRequest('logprobs is only valid when response_logprobs is true.', 'generation_config.logprobs');
}

/** The image in the answer; null if no image is requested. */
function readImage(config: GenerationConfig, prompt: string): ParsedGenerate['image'] {
  const { responseModalities: modalities, imageConfig } = config;
  if (!modalities?.includes('IMAGE')) return null;
  const [width, height] = sizes[imageConfig?.aspectRatio ?? '1:1'];
  const scale = scales[imageConfig?.imageSize ?? '1K'];
  return { prompt, width: width * scale, height: height * scale, withText: modalities.includes('TEXT') };
}

function maySearch({ tools }: GenerateRequest): boolean {
  return (tools ?? []).some(tool => tool.googleSearch ?? tool.googleSearchRetrieval);
}

function readOutput(config: GenerationConfig): Output {
  const { responseMimeType: type, responseSchema: vendorSchema } = config;
  const json = config.responseJsonSchema ?? config._responseJsonSchema ?? undefined;
  if (vendorSchema && json !== undefined)
    throw badRequest('response_schema and response_json_schema are mutually exclusive.', 'generation_config');
  const schema = vendorSchema ? jsonSchemaOf(vendorSchema) : json;
  if (schema === undefined) return type === 'application/json' ? { kind: 'json' } : { kind: 'text' };
  if (type !== 'application/json' && type !== 'text/x.enum')
    throw badRequest('A response schema is only valid with the response mime type application/json.');
  return { kind: 'schema', schema, bare: type === 'text/x.enum' };
}

const efforts: Record<string, Effort> = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high' };

/** The effort of reasoning; null turns it off, which is the default. @throws ApiError */
function readEffort({ thinkingConfig: thinking }: GenerationConfig): Effort | null {
  const { thinkingBudget: budget, thinkingLevel: level, includeThoughts } = thinking ?? {};
  if (level && budget !== undefined && budget !== null)
    throw badRequest('You can only set only one of thinking budget and thinking level.');
  if (level) return efforts[level] ?? null;
  if (budget === 0) return null;
  if (budget === undefined || budget === null) return includeThoughts ? 'medium' : null;
  if (budget < 0) return 'medium';
  if (budget <= 1_024) return 'low';
  return budget <= 8_192 ? 'medium' : 'high';
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
