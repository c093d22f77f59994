import { GatewayError, overloaded } from '@model-gateway/canonical';
import { RevisionConflictError, ShareExceededError, StoreFullError } from '@model-gateway/store';

/** Runs a read of the store. @throws GatewayError: that of `read`, or one of kind `overloaded` if the store cannot be reached */
export async function reached<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw cause instanceof GatewayError ? cause : unreachable(cause);
  }
}

/** Runs a write to the store. @throws RevisionConflictError, or the error of {@link unkept} */
export async function written<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw cause instanceof RevisionConflictError ? cause : unkept(cause);
  }
}

/** Returns the error for a client whose response or conversation cannot be stored. */
export function unkept(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof ShareExceededError) return shareExceeded();
  if (!(cause instanceof StoreFullError)) return unreachable(cause);
  const message = 'The response store is full: send "store": false, or retry later.';
  return overloaded('response_store_full', message, { retryAfterMs: fullMs, code: 'store_full' }, { cause });
}

/** The `retry-after` of a full store, in milliseconds. */
const fullMs = 10_000;

function shareExceeded(): GatewayError {
  const message =
    'This project has used its half of the response store: delete responses, wait until they expire, or send "store": false.';
  return new GatewayError('rate-limited', message, { retryAfterMs: fullMs, code: 'project_store_full' });
}

function unreachable(cause?: unknown): GatewayError {
  const message = 'The response store cannot be reached at the moment.';
  return overloaded('response_store_unavailable', message, { retryAfterMs: 2_000 }, { cause });
}
