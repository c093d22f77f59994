import type { ErrorKind, GatewayError } from '@model-gateway/canonical';
import { isSlowBody } from './body.ts';

/** Statuses that are the same in every format. The others are in the table of each `render-*-error.ts`. */
const byCode: Record<string, number> = { method_not_allowed: 405, unsupported_content_type: 415 };

/** Returns the HTTP status of an error; `shapes` holds that of each kind in a format. */
export function statusOf(error: GatewayError, shapes: Record<ErrorKind, { status: number }>): number {
  if (isSlowBody(error)) return 408;
  return byCode[error.details.code ?? ''] ?? shapes[error.kind].status;
}
