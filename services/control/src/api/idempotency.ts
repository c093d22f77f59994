import { type EndpointName, endpoints } from '@model-gateway/admin-api';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { invalidField } from '../common/invalid-fields.ts';
import type { IdempotencySecrets } from '../common/keys.ts';
import type { Database } from '../database/database.ts';
import { Claim, IdempotencyKeys, type KeptAnswer } from '../database/idempotency-keys.ts';
import { callerOf, claimOf, leave } from './admitted.ts';

/** The header with the key, which a client makes. */
export const keyHeader = 'Idempotency-Key';
/** The header of an answer that was kept. */
export const replayedHeader = 'idempotency-replayed';
/** The most characters of a key. */
export const mostKeyCharacters = 255;

/**
 * Returns the handler before those of an endpoint that takes an `Idempotency-Key`: it claims the key of the caller, or sends the
 * answer that was kept for it. Requests without a key pass.
 */
export function idempotency(
  db: Database,
  secrets: IdempotencySecrets,
): (name: EndpointName) => RequestHandler[] {
  const keys = new IdempotencyKeys(db, secrets);
  const claim: RequestHandler = async (request, response, next) => {
    const key = request.get(keyHeader);
    if (key === undefined) return next();
    if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key) || key.length > mostKeyCharacters)
      throw invalidField(keyHeader, `must be 1 to ${mostKeyCharacters} characters of ASCII`, 'invalid_value');
    const { kind, id } = callerOf(response);
    const found = await keys.claim({ owner: `${kind} ${id}`, key, request: contentOf(request) });
    if (found instanceof Claim) {
      leave(response, { claim: found });
      return next();
    }
    response.setHeader(replayedHeader, 'true');
    send(response, found);
  };
  return name => ('idempotencyKey' in endpoints[name] ? [claim] : []);
}

/** Releases the key of a request that failed, so that another try may do it. */
export function releaseKey(db: Database): ErrorRequestHandler {
  return async (thrown, _request, response, next) => {
    // If the database cannot be reached, the claim ends by itself.
    await releaseAnswer(db, response).catch(() => {});
    next(thrown);
  };
}

/** Keeps the answer of a request with a key. It must run in the transaction of the change, so that a repetition changes nothing. */
export async function keepAnswer(tx: Database, response: Response, answer: KeptAnswer): Promise<void> {
  await claimOf(response)?.keep(tx, answer);
}

/** Forgets the key and its answer: in the transaction that takes the change back, if there was one. */
export async function releaseAnswer(db: Database, response: Response): Promise<void> {
  await claimOf(response)?.release(db);
}

/** Lets a repetition get the kept answer, though this request fails: its change was made. */
export async function confirmAnswer(response: Response): Promise<void> {
  await claimOf(response)?.confirm();
}

/** Sends an answer once it is in force; from then on a repetition gets it, too. */
export async function sendKept(response: Response, answer: KeptAnswer): Promise<void> {
  await confirmAnswer(response);
  send(response, answer);
}

function send(response: Response, { status, etag, body }: KeptAnswer): void {
  if (etag) response.setHeader('etag', etag);
  response.status(status).set('cache-control', 'no-store').json(body);
}

function contentOf({ method, path, body, headers }: Request): string {
  return JSON.stringify([method, path, headers['if-match'] ?? null, body ?? null]);
}
