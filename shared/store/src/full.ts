import { JetStreamApiError } from '@nats-io/jetstream';

/** Thrown if the store has no space left. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError';
}

/** Thrown if an owner has used up its share of the store. */
export class ShareExceededError extends Error {
  override readonly name = 'ShareExceededError';
}

/** NATS error codes: the stream is full, the account's limit is reached, or the server has no space. */
const codes: ReadonlySet<number> = new Set([10_077, 10_002, 10_023, 10_047]);

/** True if NATS refused a write for lack of space. */
export function isFull(error: unknown): boolean {
  return error instanceof JetStreamApiError && codes.has(error.code);
}
