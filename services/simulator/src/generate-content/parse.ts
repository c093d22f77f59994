import type { IncomingHttpHeaders } from 'node:http';
import { camelCased } from '@model-gateway/wire';
import { ApiError } from '../api-error.ts';
import type { ParsedRequest } from '../format.ts';
import { wantsSearch } from '../responder/answer.ts';
import type { Effort, Output, Prompt } from '../responder/prompt.ts';
import { checkContents } from './checks.ts';
import { readConversation, readTools } from './conversation.ts';
import { type AnswerImage, readImage } from './image.ts';
import { type GenerateRequest, type GenerationConfig, generateCount, generateRequest } from './request.ts';
import { jsonSchemaOf } from './schema.ts';
import { badRequest, validationError } from './validation-error.ts';

export interface ParsedGenerate extends ParsedRequest {
  /** True for server-sent events, false for one JSON array. */
  events: boolean;
  showsThoughts: boolean;
  /** Alternatives to show for each token; null shows no logprobs. */
  topLogprobs: number | null;
  searches: boolean;
  image: AnswerImage | null;
}

/** @throws ApiError as the vendor would */
export function parse(body: unknown, _headers: IncomingHttpHeaders, url: string): ParsedGenerate {
  const target = targetOf(url);
  const { data: request, error } = generateRequest.safeParse(camelCased(body));
  if (!request) throw validationError(error);
  return read(target, request);
}

/** Reads a request to count tokens. @throws ApiError as the vendor would */
export function parseCount(body: unknown, _headers: IncomingHttpHeaders, url: string): ParsedGenerate {
  const target = targetOf(url);
  const { data, error } = generateCount.safeParse(camelCased(body));
  if (!data) throw validationError(error);
  const { contents, generateContentRequest: whole } = data;
  if (contents && whole)
    throw badRequest('contents and generate_content_request are mutually exclusive.', 'contents');
  const request = whole ?? (contents?.length ? { contents } : undefined);
  if (!request) throw badRequest('* CountTokensRequest.contents: contents is not specified', 'contents');
  return read(target, request);
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
    topLogprobs: config.responseLogprobs ? (config.logprobs ?? 0) : null,
    searches: maySearch(request) && wantsSearch(conversation),
    image,
  };
}

function checkRest({ safetySettings, cachedContent, generationConfig }: GenerateRequest): void {
  const categories = (safetySettings ?? []).map(({ category }) => category);
  if (new Set(categories).size < categories.length)
    throw badRequest(
      '* GenerateContentRequest.safety_settings: element predicate failed: duplicate category',
    );
  if (cachedContent) throw new ApiError(403, 'CachedContent not found (or permission denied)');
  if (typeof generationConfig?.logprobs === 'number' && !generationConfig.responseLogprobs)
    throw badRequest('logprobs is only valid when response_logprobs is true.', 'generation_config.logprobs');
}

function maySearch({ tools }: GenerateRequest): boolean {
  return (tools ?? []).some(
    ({ googleSearch, googleSearchRetrieval }) => googleSearch ?? googleSearchRetrieval,
  );
}

function readOutput(config: GenerationConfig): Output {
  const { responseMimeType: type, responseSchema: own } = config;
  const json = config.responseJsonSchema ?? config._responseJsonSchema ?? undefined;
  if (own && json !== undefined)
    throw badRequest('response_schema and response_json_schema are mutually exclusive.', 'generation_config');
  const schema = own ? jsonSchemaOf(own) : json;
  if (schema === undefined) return type === 'application/json' ? { kind: 'json' } : { kind: 'text' };
  if (type !== 'application/json' && type !== 'text/x.enum')
    throw badRequest(
      'A response schema is only valid with the response mime type application/json.',
      'generation_config.response_mime_type',
    );
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

/** The model and the method in a path. */
interface Target {
  model: string;
  method: string;
  /** True for server-sent events, false for one JSON array. */
  events: boolean;
}

/** Reads `/v1beta/models/{model}:{method}?alt=sse`; a model's name may hold `/` and `:`. @throws ApiError */
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
