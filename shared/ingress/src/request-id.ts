import { randomBytes } from 'node:crypto';

let pool = Buffer.alloc(0);
let at = 0;

/** Returns a new id for `x-request-id`: `req_` and 96 random bits. */
export function createRequestId(): string {
  if (at === pool.length) {
    pool = randomBytes(12 * 512);
    at = 0;
  }
  at += 12;
  return `req_${pool.toString('hex', at - 12, at)}`;
}
