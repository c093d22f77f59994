import { JetStreamApiError } from '@nats-io/jetstream';

/** There is no room to keep anything more. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError';
}

/** An owner has its share of the room; others have not. */
export class ShareExceededError extends Error {
  override readonly name = 'ShareExceededError';
}

/** The stream is, the account may use no more, the server has no room. */
const codes: ReadonlySet<number> = new Set([10_077, 10_002, 10_023, 10_047]);

/** Whether NATS refused to keep something since there is no room. */
export function isFull(error: unknown): boolean {
  return error instanceof JetStreamApiError && codes.has(error.code);
}
