import { oidcQuery } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Sealer } from '@model-gateway/catalog';
import type { Log } from '@model-gateway/service';
import { z } from 'zod/mini';
import type { Database } from '../database/database.ts';
import { type WaitingCommand, waitingCommand } from '../people/command-grant.ts';
import type { OidcOptions } from '../people/oidc-options.ts';
import { OidcProvider } from '../people/oidc-provider.ts';
import { loginFor } from '../people/oidc-users.ts';
import type { Sessions } from '../people/sessions.ts';
import type { SignInAttempts } from '../people/sign-in-attempts.ts';
import { originOf } from './admitted.ts';
import { askToConfirm } from './command-sign-in.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';
import { oidcCookie } from './session-cookie.ts';
import { beginSession } from './sessions.ts';
import { showingProblems } from './sign-in-page.ts';

interface OidcApi {
  db: Database;
  sessions: Sessions;
  attempts: SignInAttempts;
  /** Undefined if users cannot sign in by OpenID Connect. */
  oidc: OidcOptions | undefined;
  log: Log;
}

/** The longest time that a user may take to sign in at the provider, in milliseconds. */
const signInMs = 10 * 60_000;
/** The owner of the sealed cookie. */
const owner = 'oidc';

/** A sign-in that has started, in the cookie of the browser that started it. */
const started = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  command: z.optional(waitingCommand),
  endsAt: z.number(),
});

/** The handlers for OpenID Connect. */
export function oidcHandlers(api: OidcApi): Pick<Handlers, 'showSignInWays' | 'startOidc' | 'finishOidc'> {
  const { db, attempts, oidc, log } = api;
  const provider = oidc && new OidcProvider(oidc, log);
  return {
    showSignInWays(_request, response) {
      response.set('cache-control', 'no-store').json({ password: true, oidc: oidc !== undefined });
    },

    startOidc: showingProblems(async (request, response) => {
      const { returnTo, port, challenge, state } = parseQuery(oidcQuery, request.query);
      const command = commandOf({ port, challenge, state });
      if (!provider || !oidc) throw notConfigured();
      const { url, checks } = await provider.start();
      const endsAt = Date.now() + signInMs;
      const kept = JSON.stringify({ ...checks, returnTo, command, endsAt });
      oidcCookie.set(request, response, oidc.sealer.seal(owner, kept).sealed, new Date(endsAt));
      response.set('cache-control', 'no-store').redirect(302, url.href);
    }),

    finishOidc: showingProblems(async (request, response) => {
      if (!provider || !oidc) throw notConfigured();
      const origin = originOf(response);
      const kept = unsealed(oidc.sealer, oidcCookie.read(request));
      // An answer of the provider is used once.
      oidcCookie.remove(request, response);
      response.set('cache-control', 'no-store');
      if (!kept || kept.endsAt < Date.now())
        throw new GatewayError(
          'unauthenticated',
          'This browser has not started a sign-in, or it took too long.',
          {
            code: 'sign_in_failed',
          },
        );
      // Not before the cookie is read, which images of other sites do not send: they could use up the attempts of a visitor's address.
      await attempts.countAddress(origin.address);
      const identity = await provider.finish(request.originalUrl.replace(/^[^?]*/, ''), kept);
      const login = await loginFor(db, identity, oidc, origin);
      await attempts.forgetAddress(origin.address);
      if (kept.command) return askToConfirm(request, response, oidc, kept.command, login);
      await beginSession(api, login, request, response);
      response.redirect(302, kept.returnTo);
    }),
  };
}

/** Returns the command that waits; undefined for a sign-in to the console. @throws GatewayError if a field is missing */
function commandOf({ port, challenge, state }: Partial<WaitingCommand>): WaitingCommand | undefined {
  if (port === undefined && challenge === undefined && state === undefined) return undefined;
  if (port !== undefined && challenge !== undefined && state !== undefined) return { port, challenge, state };
  throw new GatewayError('invalid-request', 'port: belongs together with challenge and state', {
    param: 'port',
  });
}

function unsealed(sealer: Sealer, sealed: string | undefined): z.infer<typeof started> | undefined {
  if (sealed === undefined) return undefined;
  try {
    return started.parse(JSON.parse(sealer.unseal(owner, { sealed })));
  } catch {
    return undefined;
  }
}

function notConfigured(): GatewayError {
  return new GatewayError('not-found', 'OpenID Connect is not configured: set GATEWAY_OIDC_ISSUER.', {
    code: 'oidc_not_configured',
  });
}
