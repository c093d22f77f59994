import { GatewayError } from '@model-gateway/canonical';
import { authorizationOf } from '@model-gateway/service';
import type { Request, RequestHandler } from 'express';
import { sameSecret } from '../admin-token.ts';

/** Accepts the admin token only. `isToken` is true for a client's token, which gets 403 instead of 401. */
export function authenticate(
  adminToken: string,
  isToken: (secret: string) => Promise<boolean>,
): RequestHandler {
  return async (request, _response, next) => {
    const secret = bearer(request);
    if (!secret) {
      throw new GatewayError('unauthenticated', 'No admin token was provided: send it as a bearer token.');
    }
    if (sameSecret(secret, adminToken)) return next();
    if (await isToken(secret)) {
      throw new GatewayError('forbidden', 'This API key has no admin right.');
    }
    throw new GatewayError('unauthenticated', 'Incorrect admin token provided.', { code: 'invalid_api_key' });
  };
}

export function bearer(request: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorizationOf(request) ?? '')?.[1];
}
