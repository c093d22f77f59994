import {
  contextLengthCode,
  type ErrorDetails,
  type ErrorKind,
  type GatewayError,
  reasonOf,
} from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { RenderedError } from './endpoint.ts';

/** The code of a request whose body arrived too slowly: a 408, unlike the 504 of an upstream's timeout. */
export const slowBodyCode = 'request_timeout';

export function isSlowBody({ kind, details }: GatewayError): boolean {
  return kind === 'timeout' && details.code === slowBodyCode;
}

/** Statuses that are the same in every format. The others are in the tables below. */
const byCode: Record<string, number> = { method_not_allowed: 405, unsupported_content_type: 415 };

/** Returns what a client learns of an error by headers, in every format: why the gateway is overloaded, and when to retry. */
function hintsOf(error: GatewayError): Pick<RenderedError, 'reason' | 'retryAfterMs'> {
  const { retryAfterMs } = error.details;
  const reason = reasonOf(error);
  return { ...(reason && { reason }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Tells clients not to retry an error that they would retry by its status, where a spent budget is 429. */
function retryOf({ kind, details }: GatewayError): { retry?: false } {
  return kind === 'quota-exceeded' || details.final ? { retry: false } : {};
}

/** True for an upstream's conflict (HTTP 409), which clients repeat, whatever its kind. */
function isConflict({ details }: GatewayError): boolean {
  return details.upstream?.status === 409;
}

/** Returns the HTTP status of an error; `shapes` holds that of each kind in a format. */
function statusOf(error: GatewayError, shapes: Record<ErrorKind, { status: number }>): number {
  if (isSlowBody(error)) return 408;
  if (isConflict(error)) return 409;
  return byCode[error.details.code ?? ''] ?? shapes[error.kind].status;
}

/** The body of every error in the chat format; all four keys are always present. */
export interface ChatErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

/** Status, `type` and default `code` of each kind. */
const chatShapes: Record<ErrorKind, { status: number; type: string; code: string | null }> = {
  'invalid-request': { status: 400, type: 'invalid_request_error', code: null },
  unauthenticated: { status: 401, type: 'invalid_request_error', code: null },
  forbidden: { status: 403, type: 'invalid_request_error', code: 'insufficient_permissions' },
  'not-found': { status: 404, type: 'invalid_request_error', code: null },
  'too-large': { status: 413, type: 'invalid_request_error', code: 'request_too_large' },
  'rate-limited': { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  'quota-exceeded': { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  overloaded: { status: 503, type: 'service_unavailable_error', code: 'server_is_overloaded' },
  timeout: { status: 504, type: 'server_error', code: 'timeout' },
  upstream: { status: 502, type: 'server_error', code: 'upstream_error' },
  cancelled: { status: 499, type: 'server_error', code: 'cancelled' },
  internal: { status: 500, type: 'server_error', code: null },
};

/** The shape of an upstream's conflict. */
const conflict = { type: 'invalid_request_error', code: 'conflict' };

/** Renders an error in the shape of OpenAI's API, which several formats share. */
export function renderChatError(error: GatewayError): RenderedError {
  return {
    status: statusOf(error, chatShapes),
    body: chatErrorBody(error),
    ...hintsOf(error),
    ...retryOf(error),
  };
}

/** Renders an error within a stream. No `[DONE]` follows, so that no client treats the response as complete. */
export function renderChatErrorEvent(error: GatewayError): string {
  return sseEvent(dataJson(chatErrorBody(error)));
}

/**
 * Renders an error within a stream as an event named `error`, for formats that define no event for it: clients detect
 * this name or the `error` field.
 */
export function renderNamedChatErrorEvent(error: GatewayError): string {
  return sseEvent(dataJson(chatErrorBody(error)), 'error');
}

function chatErrorBody(error: GatewayError): ChatErrorBody {
  const { kind, message, details } = error;
  const { type, code } = isConflict(error)
    ? conflict
    : chatShapes[isSlowBody(error) ? 'invalid-request' : kind];
  const { param = null, said } = details;
  const fullMessage = said === undefined ? message : `${message} The model returned: ${said}`;
  const typeOfLimit = details.ofTokens ? 'tokens' : type;
  return { error: { message: fullMessage, type: typeOfLimit, param, code: details.code ?? code } };
}

/** The body of every error in the messages format. */
interface MessagesErrorBody {
  type: 'error';
  error: { type: string; message: string; details?: Record<string, unknown> };
  request_id: string;
}

/** Status and `type` of each kind. */
const messagesShapes: Record<ErrorKind, { status: number; type: string }> = {
  'invalid-request': { status: 400, type: 'invalid_request_error' },
  unauthenticated: { status: 401, type: 'authentication_error' },
  forbidden: { status: 403, type: 'permission_error' },
  'not-found': { status: 404, type: 'not_found_error' },
  'too-large': { status: 413, type: 'request_too_large' },
  'rate-limited': { status: 429, type: 'rate_limit_error' },
  'quota-exceeded': { status: 402, type: 'billing_error' },
  overloaded: { status: 529, type: 'overloaded_error' },
  timeout: { status: 504, type: 'timeout_error' },
  upstream: { status: 500, type: 'api_error' },
  cancelled: { status: 499, type: 'api_error' },
  internal: { status: 500, type: 'api_error' },
};

/** The code of an error that names a feature the client must not use. */
export const unsupportedThread = 'thread_unsupported_request';

/** Renders an error in the shape of Anthropic's API. */
export function renderMessagesError(error: GatewayError, requestId: string): RenderedError {
  return {
    status: statusOf(error, messagesShapes),
    body: messagesErrorBody(error, requestId),
    ...hintsOf(error),
    ...(error.details.final && { retry: false }),
  };
}

/** Renders an error within a stream; nothing follows it. */
export function renderMessagesErrorEvent(error: GatewayError, requestId: string): string {
  return sseEvent(dataJson(messagesErrorBody(error, requestId)), 'error');
}

function messagesErrorBody(error: GatewayError, requestId: string): MessagesErrorBody {
  const { message, details } = error;
  const { code } = details;
  const coded = detailsOf(error);
  // Errors of this format carry no code, so its clients match these words.
  const tooLong = code === contextLengthCode && !/prompt is too long/i.test(message);
  const text = tooLong ? `prompt is too long: ${message}` : message;
  return {
    type: 'error',
    error: { type: typeOf(error), message: text, ...(coded && { details: coded }) },
    request_id: requestId,
  };
}

function typeOf(error: GatewayError): string {
  if (isConflict(error)) return 'conflict_error';
  return error.details.code === 'method_not_allowed'
    ? 'invalid_request_error'
    : messagesShapes[error.kind].type;
}

/** Returns the `details` of an error: those of an upstream of this format, or of a thread. */
function detailsOf({ details }: GatewayError): Record<string, unknown> | undefined {
  const { code, param, vendorDetails } = details;
  const { format, value } = vendorDetails ?? {};
  if (format === 'messages' && isJsonObject(value)) return value;
  return code === unsupportedThread
    ? { error_code: code, ...(param && { unsupported: [param] }) }
    : undefined;
}

/** The body of every error in the generate-content format. */
interface GenerateContentErrorBody {
  error: { code: number; message: string; status: string; details?: Record<string, unknown>[] };
}

/** HTTP status and status name of each kind. */
const generateContentShapes: Record<ErrorKind, { status: number; name: string }> = {
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
  return { status: statusOf(error, generateContentShapes), name: nameOf(error) };
}

function nameOf(error: GatewayError): string {
  if (isConflict(error)) return 'ABORTED';
  return error.details.code === 'method_not_allowed'
    ? 'INVALID_ARGUMENT'
    : generateContentShapes[error.kind].name;
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
