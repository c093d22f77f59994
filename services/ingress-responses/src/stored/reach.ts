import { Full, Overtaken, ShareUsedUp } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';

/** When it is worth another look whether there is room. */
const fullMs = 10_000;

/** @throws GatewayError of kind `overloaded` if what is kept cannot be asked for now */
export async function reached<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    throw away(cause);
  }
}

export async function written<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw cause instanceof Overtaken ? cause : unkept(cause);
  }
}

/** What a client is told of something that cannot be kept. */
export function unkept(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof ShareUsedUp) return usedUp();
  if (!(cause instanceof Full)) return away(cause);
  const message =
    'There is no room to store more responses at the moment: ask with "store": false, or later.';
  return new GatewayError('overloaded', message, { retryAfterMs: fullMs, code: 'store_full' }, { cause });
}

function usedUp(): GatewayError {
  const message =
    'This project has used its half of the store of responses: delete some, wait until they expire, or ask with "store": false.';
  return new GatewayError('rate-limited', message, { retryAfterMs: fullMs, code: 'project_store_full' });
}

function away(cause?: unknown): GatewayError {
  const message = 'Stored responses cannot be reached at the moment.';
  return new GatewayError('overloaded', message, { retryAfterMs: 2_000 }, { cause });
}
