import type { ErrorKind, GatewayError } from '@model-gateway/canonical';
import { isSlowBody } from './body-watch.ts';

/** The statuses of errors that have one in every format. Other statuses depend on the format. */
const byCode: Record<string, number> = { method_not_allowed: 405, unsupported_content_type: 415 };

/** Returns the HTTP status of an error; `shapes` holds that of each kind in a format. */
export function statusOf(error: GatewayError, shapes: Record<ErrorKind, { status: number }>): number {
  if (isSlowBody(error)) return 408;
  return byCode[error.details.code ?? ''] ?? shapes[error.kind].status;
}
