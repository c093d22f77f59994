import {
  contextLengthCode,
  type ErrorDetails,
  type ErrorKind,
  type GatewayError,
} from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import type { GenerateContentErrorBody } from '../models.ts';
import type { RenderedError } from './endpoint.ts';
import { hintsOf, isConflict, retryOf, statusOf } from './error-status.ts';

/** HTTP status and status name of each kind. */
const shapes: Record<ErrorKind, { status: number; name: string }> = {
  'invalid-request': { status: 400, name: 'INVALID_ARGUMENT' },
  unauthenticated: { status: 401, name: 'UNAUTHENTICATED' },
  forbidden: { status: 403, name: 'PERMISSION_DENIED' },
  'not-found': { status: 404, name: 'NOT_FOUND' },
  'too-large': { status: 413, name: 'INVALID_ARGUMENT' },
  'rate-limited': { status: 429, name: 'RESOURCE_EXHAUSTED' },
  'quota-exceeded': { status: 429, name: 'RESOURCE_EXHAUSTED' },
  overloaded: { status: 503, name: 'UNAVAILABLE' },
  timeout: { status: 504, name: 'DEADLINE_EXCEEDED' },
  upstream: { status: 500, name: 'INTERNAL' },
  cancelled: { status: 499, name: 'CANCELLED' },
  internal: { status: 500, name: 'INTERNAL' },
};

const badKey = { status: 400, name: 'INVALID_ARGUMENT' };
const noKey = { status: 403, name: 'PERMISSION_DENIED' };

/** Renders an error in the shape of the Gemini API, where a wrong key that is not a Bearer token is a 400. */
export function renderGenerateContentError(error: GatewayError, byKey: boolean): RenderedError {
  const message = messageOf(error);
  const { status, name } = shapeOf(error, byKey);
  const info = infoOf(error, byKey);
  const body: GenerateContentErrorBody = {
    error: { code: status, message, status: name, ...(info.length > 0 && { details: info }) },
  };
  return { status, body, ...hintsOf(error), ...retryOf(error) };
}

/** Errors of this format have no code for a prompt that is too long, so its clients match these words. */
function messageOf({ message, details }: GatewayError): string {
  if (details.code !== contextLengthCode || /input token count\b.*\bexceeds the maximum/i.test(message))
    return message;
  return `The input token count exceeds the maximum number of tokens allowed. ${message}`;
}

function shapeOf(error: GatewayError, byKey: boolean): { status: number; name: string } {
  const { kind, details } = error;
  if (isBadKey(error, byKey)) return badKey;
  if (kind === 'unauthenticated' && !details.code) return noKey;
  return { status: statusOf(error, shapes), name: nameOf(error) };
}

function nameOf(error: GatewayError): string {
  if (isConflict(error)) return 'ABORTED';
  return error.details.code === 'method_not_allowed' ? 'INVALID_ARGUMENT' : shapes[error.kind].name;
}

function isBadKey({ details }: GatewayError, byKey: boolean): boolean {
  return byKey && details.code === 'invalid_api_key';
}

/**
 * Builds the `details` of an error, which client libraries read: those of an upstream of this format, and the gateway's own. The
 * wait before a retry is the gateway's, which may have asked several upstreams.
 */
function infoOf(error: GatewayError, byKey: boolean): Record<string, unknown>[] {
  const { kind, message, details } = error;
  const { param, retryAfterMs } = details;
  const upstream = upstreamInfo(details.vendorDetails);
  const named = upstream.some(info => isOfType(info, 'BadRequest'));
  return [
    ...upstream,
    ...(isBadKey(error, byKey)
      ? [typed('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' })]
      : []),
    ...(kind === 'invalid-request' && param && !named
      ? [typed('BadRequest', { fieldViolations: [{ field: param, description: message }] })]
      : []),
    ...(retryAfterMs === undefined
      ? []
      : [typed('RetryInfo', { retryDelay: `${Math.ceil(retryAfterMs / 1000)}s` })]),
  ];
}

function upstreamInfo(details: ErrorDetails['vendorDetails']): Record<string, unknown>[] {
  const { format, value } = details ?? {};
  if (format !== 'generate-content' || !Array.isArray(value)) return [];
  return value.filter(info => isJsonObject(info) && !isOfType(info, 'RetryInfo'));
}

function isOfType(info: Record<string, unknown>, name: string): boolean {
  return info['@type'] === `type.googleapis.com/google.rpc.${name}`;
}

function typed(name: string, fields: Record<string, unknown>): Record<string, unknown> {
  return { '@type': `type.googleapis.com/google.rpc.${name}`, ...fields };
}
