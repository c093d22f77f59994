import { type ErrorKind, type GatewayError, reasonOf } from '@model-gateway/canonical';
import type { RenderedError } from './endpoint.ts';

/** The code of a request whose body arrived too slowly: a 408, unlike the 504 of an upstream's timeout. */
export const slowBodyCode = 'request_timeout';

export function isSlowBody({ kind, details }: GatewayError): boolean {
  return kind === 'timeout' && details.code === slowBodyCode;
}

/** Statuses that are the same in every format. The others are in the table of each `render-*-error.ts`. */
const byCode: Record<string, number> = { method_not_allowed: 405, unsupported_content_type: 415 };

/** Returns what a client learns of an error by headers, in every format: why the gateway is overloaded, and when to retry. */
export function hintsOf(error: GatewayError): Pick<RenderedError, 'reason' | 'retryAfterMs'> {
  const { retryAfterMs } = error.details;
  const reason = reasonOf(error);
  return { ...(reason && { reason }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Tells clients not to retry an error that they would retry by its status, where a spent budget is 429. */
export function retryOf({ kind, details }: GatewayError): { retry?: false } {
  return kind === 'quota-exceeded' || details.final ? { retry: false } : {};
}

/** True for an upstream's conflict (HTTP 409), which clients repeat, whatever its kind. */
export function isConflict({ details }: GatewayError): boolean {
  return details.upstream?.status === 409;
}

/** Returns the HTTP status of an error; `shapes` holds that of each kind in a format. */
export function statusOf(error: GatewayError, shapes: Record<ErrorKind, { status: number }>): number {
  if (isSlowBody(error)) return 408;
  if (isConflict(error)) return 409;
  return byCode[error.details.code ?? ''] ?? shapes[error.kind].status;
}
