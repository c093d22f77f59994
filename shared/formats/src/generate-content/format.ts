import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { z } from 'zod';
import { type FormatEndpoint, knownFields, type RenderedError } from '../client/endpoint.ts';
import { checkModelName, invalidRequest } from '../client/invalid.ts';
import { renderGenerateContentError } from '../client/render-errors.ts';
import { generateContentFields } from './fields.ts';

/** The properties that all endpoints of the format share. */
export const generateContentFormat = {
  method: 'POST',
  format: 'generate-content',
  secretOf: keyOf,
  fieldNames: generateContentFields.names,
  renderError,
  renderErrorEvent: error => sseEvent(dataJson(renderGenerateContentError(error, false).body)),
  // Clients parse a comment as part of the response, and fail.
  ping: '',
} satisfies Partial<FormatEndpoint>;

function renderError(error: GatewayError, _requestId: string, request: IncomingMessage): RenderedError {
  const rendered = renderGenerateContentError(error, keyOf(request) !== undefined);
  return isArray(request.url ?? '') ? { ...rendered, body: [rendered.body] } : rendered;
}

/** Returns the key, which Google's clients send in a header or in the query. */
function keyOf(request: IncomingMessage): string | undefined {
  const sent = request.headers['x-goog-api-key'];
  return (typeof sent === 'string' && sent.trim()) || queryOf(request.url ?? '').get('key') || undefined;
}

/** Parses a value by a schema. @throws GatewayError for the first invalid field */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  if (issue?.path.join() === 'contents' && isEmpty(value))
    throw invalid('contents', 'contents is not specified');
  throw invalidRequest(error, value);
}

/** Returns the fields of the schemas in camelCase and snake_case. */
export function fieldsInBothCases(...schemas: readonly { shape: Record<string, unknown> }[]) {
  const names = schemas.flatMap(({ shape }) => Object.keys(shape));
  const snake = names.map(name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`));
  return knownFields({ shape: Object.fromEntries([...names, ...snake].map(name => [name, true])) });
}

/** Returns an error about one field. `param` is a path such as `contents[0].parts[1]`. */
export function invalid(param: string, why: string): GatewayError {
  return new GatewayError('invalid-request', `Invalid value at '${param}': ${why}.`, { param });
}

function isEmpty(body: unknown): boolean {
  const { contents } = body as { contents?: unknown };
  return contents === undefined || contents === null || (Array.isArray(contents) && contents.length === 0);
}

/** The model and framing in the URL of a request. */
export interface Target {
  /** The model name of the request, decoded. */
  model: string;
  /** True if a stream uses server-sent events; else it is one JSON array. */
  sse: boolean;
}

/**
 * Returns the paths of a method for all API versions. A model name may contain `/`, `:` and `%2F`. Some
 * clients omit `models/` before a name with a `/`.
 */
export function pathOf(method: string): { path: string; pattern: RegExp } {
  return {
    path: `/v1beta/models/{model}:${method}`,
    pattern: new RegExp(`^/v1(?:alpha|beta)?/.+:${method}$`),
  };
}

/** Parses `/v1beta/models/{model}:{method}?alt=sse`. @throws GatewayError of kind `invalid-request` */
export function readTarget(url: string): Target {
  const [path = ''] = url.split('?');
  const name = /^\/v1(?:alpha|beta)?\/(?:models\/)?(.+):[^:]*$/.exec(path)?.[1] ?? '';
  const query = queryOf(url);
  // Clients with gRPC transcoding send `$alt=json;enum-encoding=int`.
  const alt = query.get('alt') || query.get('$alt')?.split(';')[0] || 'json';
  if (alt !== 'json' && alt !== 'sse')
    throw new GatewayError(
      'invalid-request',
      `Invalid value for 'alt': expected json or sse, but got ${alt.slice(0, 20)}.`,
      {
        param: 'alt',
      },
    );
  return { model: checkModelName(decoded(name)), sse: alt === 'sse' };
}

/** True for a stream that is one JSON array. Its errors are arrays, too. */
export function isArray(url: string): boolean {
  const query = queryOf(url);
  const alt = query.get('alt') || query.get('$alt')?.split(';')[0];
  return (url.split('?')[0] ?? '').endsWith(':streamGenerateContent') && alt !== 'sse';
}

export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '');
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (cause) {
    const message = "Invalid value for 'model': malformed percent-encoding.";
    throw new GatewayError('invalid-request', message, { param: 'model' }, { cause });
  }
}
