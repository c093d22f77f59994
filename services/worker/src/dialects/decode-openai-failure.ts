import { type ErrorKind, GatewayError } from '@model-gateway/canonical';
import type { ChatChunk, ChatChunkChoice } from '@model-gateway/wire';
import { credentialRefused, refusesCredential } from './credential.ts';
import type { UpstreamFailure } from './dialect.ts';
import {
  contextLengthCode,
  type FailureBody,
  isContextLength,
  readFailure,
  readFailureBody,
  retryAfter,
  unsaid,
} from './failure-body.ts';

/** What an upstream's failure means for the client. The gateway's own credential is not the client's to mend. */
export function decodeFailure({ provider, status, headers, body }: UpstreamFailure): GatewayError {
  const failure = readFailureBody(body);
  // Some upstreams fail with status 200, and tell the status as the code.
  const said = status < 300 ? statusIn(failure.code) : status;
  const requestId = headers['x-request-id'];
  return failed(failure, said, unsaid(status), {
    ...retryAfter(headers),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  });
}

/** The error that a body or a chunk holds, or is, as some servers have it; undefined if there is none. */
export function errorIn(body: ChatChunk | undefined): unknown {
  if (!body) return undefined;
  const { error, object, choices, message, detail } = body as ChatChunk & Record<string, unknown>;
  const isError = object === 'error' || (!choices && (typeof message === 'string' || Boolean(detail)));
  return error || (isError ? body : undefined);
}

/** @throws GatewayError for a choice that failed, which has that for its reason to end */
export function throwFailed({ finish_reason: reason, error }: ChatChunkChoice): void {
  if (reason === 'error') throw answerFailure(error);
}

/** An error inside an answer that began well, where there is no status to tell. */
export function answerFailure(given: unknown): GatewayError {
  const failure = readFailure(given) ?? {};
  return failed(failure, statusIn(failure.code), 'The upstream failed.');
}

function failed(
  failure: FailureBody,
  status: number | undefined,
  otherwise: string,
  more: GatewayError['details'] = {},
): GatewayError {
  const { message, param, code, type } = failure;
  if (refusesCredential(status, failure)) return new GatewayError('upstream', credentialRefused, more);
  const kind = failureKind(status, code, type);
  const mayBeTooLong = kind === 'invalid-request' || status === undefined || status === 500;
  if (mayBeTooLong && isContextLength(message, code, type)) {
    const details = { ...(param && { param }), code: contextLengthCode, ...more };
    return new GatewayError('invalid-request', message ?? otherwise, details);
  }
  const named = typeof code === 'string' && !/^\d+$/.test(code) ? code : undefined;
  return new GatewayError(kind, message ?? otherwise, {
    ...(kind === 'invalid-request' && param && { param }),
    ...(kind === 'invalid-request' && named && { code: named }),
    ...(kind === 'not-found' && { code: named ?? 'model_not_found' }),
    ...more,
  });
}

/** The status that a code is, where it is one. */
function statusIn(code: string | number | undefined): number | undefined {
  const status = Number(code);
  return status >= 400 && status < 600 ? status : undefined;
}

const kindOfCode = new Map<unknown, ErrorKind>([
  ['insufficient_quota', 'quota-exceeded'],
  ['rate_limit_exceeded', 'rate-limited'],
  ['server_is_overloaded', 'overloaded'],
]);

const kindOfStatus = new Map<number | undefined, ErrorKind>([
  [400, 'invalid-request'],
  [402, 'quota-exceeded'],
  [404, 'not-found'],
  [408, 'timeout'],
  [413, 'too-large'],
  [422, 'invalid-request'],
  [429, 'rate-limited'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [529, 'overloaded'],
]);

function failureKind(status: number | undefined, ...codes: unknown[]): ErrorKind {
  const known = codes.find(code => kindOfCode.has(code));
  return kindOfCode.get(known) ?? kindOfStatus.get(status) ?? 'upstream';
}
