import { dataJson, sseEvent } from '@model-gateway/sse';
import { ApiError } from '../common/api-error.ts';
import { bearer } from '../common/body.ts';
import type { Format, StreamPosition } from '../common/format.ts';
import { stream, whole } from './answer.ts';
import { inArray, type ParsedGenerate, parse, queryOf } from './parse.ts';

/** Google's generate content. */
export const generateContent: Format<ParsedGenerate> = {
  overloaded: 503,
  retryInBody: true,
  headers: requestId => ({ 'x-request-id': requestId, 'server-timing': 'gfet4t7; dur=1' }),
  key: (headers, url) => headers['x-goog-api-key']?.toString() ?? queryOf(url).get('key') ?? bearer(headers),
  badKey: () => new ApiError(400, 'API key not valid. Please pass a valid API key.', 'invalid_api_key'),
  parse,
  whole,
  stream,
  errorBody,
  errorEvent,
};

const statuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** An error object as Google writes it. */
function errorBody(error: ApiError, _requestId: string, url: string) {
  return inArray(url) ? [errorOf(error)] : errorOf(error);
}

function errorEvent(
  error: ApiError,
  _requestId: string,
  { parsed, written }: StreamPosition<ParsedGenerate>,
): string {
  const text = dataJson(errorOf(error));
  if (parsed.events) return sseEvent(text);
  return written === 0 ? `[${text}\n]` : `\n,\n${text}\n]`;
}

function errorOf(error: ApiError) {
  const { status: code, message } = error;
  const status = statuses[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  const details = detailsOf(error);
  return { error: { code, message, status, ...(details.length > 0 && { details }) } };
}

function detailsOf({ code, status, message, param, retryAfterS }: ApiError) {
  if (code === 'invalid_api_key' && status === 400)
    return [
      {
        ...typed('ErrorInfo'),
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
        metadata: { service: 'generativelanguage.googleapis.com' },
      },
    ];
  if (retryAfterS !== null) return [{ ...typed('RetryInfo'), retryDelay: `${retryAfterS}s` }];
  if (param === null) return [];
  return [{ ...typed('BadRequest'), fieldViolations: [{ field: param, description: message }] }];
}

function typed(name: string) {
  return { '@type': `type.googleapis.com/google.rpc.${name}` };
}
