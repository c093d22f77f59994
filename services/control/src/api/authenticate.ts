import { asksForRole, type EndpointName } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { authorizationOf } from '@model-gateway/service';
import type { Request, RequestHandler } from 'express';
import type { Database } from '../database/database.ts';
import { callerOfAccount, isAccountSecret } from '../people/accounts.ts';
import { adminTokenCaller, type Caller, scopeOf } from '../people/caller.ts';
import type { CredentialChecks } from '../people/credential-checks.ts';
import { callerOfSession, isSessionSecret, type Sessions } from '../people/sessions.ts';
import { sameSecret } from '../tokens/admin-token.ts';
import { isUsable, tokenOfSecret } from '../tokens/tokens.ts';
import { callerOf, isWrite, leave, originOf } from './admitted.ts';
import { assertIntended } from './same-origin.ts';
import { sessionCookie } from './session-cookie.ts';

export interface Authentication {
  db: Database;
  sessions: Sessions;
  checks: CredentialChecks;
  adminToken: string;
  publicUrl: string | undefined;
  clock: Clock;
}

/** Finds the caller: by a bearer, or else by the session cookie. */
export function authenticate(parts: Authentication): RequestHandler {
  return async (request, response, next) => {
    response.set('cache-control', 'no-store');
    const secret = bearer(request) ?? sessionCookie.read(request);
    const caller = await parts.checks.run(originOf(response).address, secret, async () => {
      const found = await findCaller(parts, request, true);
      if (found) return found;
      sessionCookie.remove(request, response);
      throw new GatewayError('unauthenticated', 'The session has ended. Sign in again.', {
        code: 'session_ended',
      });
    });
    if (caller.session !== undefined && isWrite(request)) assertIntended(request, parts.publicUrl);
    leave(response, { caller });
    next();
  };
}

/**
 * Returns the caller of a request as it is now; undefined if its session has ended. `isNew` is false for a request that was answered
 * before, which does not keep the session from being idle. @throws GatewayError if the credential is missing or invalid
 */
export async function findCaller(
  { db, sessions, adminToken, clock }: Authentication,
  request: Request,
  isNew: boolean,
): Promise<Caller | undefined> {
  const secret = bearer(request);
  if (secret) return callerOfBearer(db, secret, adminToken, new Date(clock.now()));
  const cookie = sessionCookie.read(request);
  if (!cookie)
    throw new GatewayError(
      'unauthenticated',
      'No admin token was provided: send it as a bearer token, or sign in.',
    );
  const session = isSessionSecret(cookie) ? await sessions.find(cookie, isNew) : undefined;
  return session && callerOfSession(db, session);
}

/** Refuses callers whose role does not allow an endpoint, and leaves what they may reach with it. */
export function authorize(name: EndpointName): RequestHandler {
  return (_request, response, next) => {
    if (asksForRole(name)) leave(response, { scope: scopeOf(callerOf(response), name) });
    next();
  };
}

async function callerOfBearer(db: Database, secret: string, adminToken: string, now: Date): Promise<Caller> {
  if (sameSecret(secret, adminToken)) return adminTokenCaller;
  // Each kind of secret is looked for once. A client's token may have any other shape, since those of other gateways are imported.
  const isAccount = isAccountSecret(secret);
  const account = isAccount ? await callerOfAccount(db, secret) : undefined;
  if (account) return account;
  const token = isAccount ? undefined : await tokenOfSecret(db, secret);
  // A client's token gets 403 instead of 401.
  if (token && isUsable(token, now))
    throw new GatewayError('forbidden', 'This API key has no admin right.', { code: 'admin_token_required' });
  throw new GatewayError('unauthenticated', 'Incorrect admin token provided.', { code: 'invalid_api_key' });
}

export function bearer(request: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorizationOf(request) ?? '')?.[1];
}
