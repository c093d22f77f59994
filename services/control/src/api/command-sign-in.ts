import { createHash } from 'node:crypto';
import { commandCode } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Request, Response } from 'express';
import type { Database } from '../database/database.ts';
import {
  type CommandGrant,
  checkCodeOf,
  codeOf,
  grantToConfirm,
  openGrant,
  type WaitingCommand,
} from '../people/command-grant.ts';
import { type Login, loginsOf } from '../people/logins.ts';
import type { OidcOptions } from '../people/oidc-options.ts';
import type { Sessions } from '../people/sessions.ts';
import type { SignInAttempts } from '../people/sign-in-attempts.ts';
import { sameSecret } from '../tokens/admin-token.ts';
import { originOf } from './admitted.ts';
import { parseBody } from './parse-body.ts';
import type { Handlers } from './routes.ts';
import { assertSameOrigin } from './same-origin.ts';
import { Cookie } from './session-cookie.ts';
import { beginSession, showCaller } from './sessions.ts';
import { showingProblems } from './sign-in-page.ts';

interface CommandSignInApi {
  db: Database;
  sessions: Sessions;
  attempts: SignInAttempts;
  oidc: OidcOptions | undefined;
  publicUrl: string | undefined;
}

/** The cookie with a grant that the user has to confirm. */
const grantCookie = new Cookie('gateway-command');
const confirmPath = '/api/v1/session/command';

/** Sends a user who has signed in at the provider to the page that asks whether the command may act for them. */
export function askToConfirm(
  request: Request,
  response: Response,
  { sealer }: Pick<OidcOptions, 'sealer'>,
  command: WaitingCommand,
  { userId, name }: Login,
): void {
  const { sealed, endsAt } = grantToConfirm(sealer, command, { userId, name });
  grantCookie.set(request, response, sealed, endsAt);
  response.redirect(302, confirmPath);
}

/** The handlers for the sign-in of the command by a browser. */
export function commandSignInHandlers(
  api: CommandSignInApi,
): Pick<Handlers, 'showCommandSignIn' | 'confirmCommandSignIn' | 'finishCommandSignIn'> {
  const { db, attempts, oidc, publicUrl } = api;
  const waiting = (request: Request): CommandGrant => {
    const found = oidc && openGrant(oidc.sealer, 'confirm', grantCookie.read(request));
    if (found) return found;
    throw refused(
      'There is no sign-in of the command to confirm, or it took too long. Run gateway login again.',
    );
  };
  return {
    showCommandSignIn: showingProblems(async (request, response) => {
      const grant = waiting(request);
      response.set(pageHeaders(grant)).type('html').end(page(grant));
    }),

    confirmCommandSignIn: showingProblems(async (request, response) => {
      assertSameOrigin(request, publicUrl);
      const grant = waiting(request);
      grantCookie.remove(request, response);
      if (!oidc) throw refused('OpenID Connect is not configured.');
      const query = new URLSearchParams({ code: codeOf(oidc.sealer, grant), state: grant.state });
      response.set({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      response.redirect(303, `http://127.0.0.1:${grant.port}/?${query}`);
    }),

    async finishCommandSignIn(request, response) {
      assertSameOrigin(request, publicUrl);
      const { code, verifier } = parseBody(commandCode, request.body);
      const { address } = originOf(response);
      await attempts.countAddress(address);
      const grant = oidc && openGrant(oidc.sealer, 'code', code);
      // A code is used up by the first attempt, even by one with a wrong secret.
      if (!grant || !(await attempts.isFirstUse(grant.id)) || !proves(verifier, grant.challenge))
        throw refused('The code of the sign-in is not valid any more. Run gateway login again.');
      const login = (await loginsOf(db, [grant.userId])).get(grant.userId);
      if (!login || login.disabled) throw refused('You may not sign in any more.');
      const caller = await beginSession(api, login, request, response);
      await attempts.forgetAddress(address);
      response.status(201).set('cache-control', 'no-store').json(showCaller(caller));
    },
  };
}

function proves(verifier: string, challenge: string): boolean {
  return sameSecret(createHash('sha256').update(verifier).digest('base64url'), challenge);
}

function refused(message: string): GatewayError {
  return new GatewayError('unauthenticated', message, { code: 'sign_in_failed' });
}

/** The headers of the page: no script, no frame, and a form that leads to this server and to the command alone. */
function pageHeaders({ port }: CommandGrant): Record<string, string> {
  return {
    'cache-control': 'no-store',
    // With no-referrer, the browser would not name the origin of the form.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' http://127.0.0.1:${port}; frame-ancestors 'none'; base-uri 'none'`,
  };
}

function page({ name, challenge }: CommandGrant): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in the command gateway</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}strong{font-size:1.5rem;letter-spacing:.1em}button{font:inherit;padding:.5rem 1rem}</style>
<h1>Sign in the command gateway?</h1>
<p>A terminal on this computer wants to act as <b>${escaped(name)}</b>. It shows this code:</p>
<p><strong>${checkCodeOf(challenge)}</strong></p>
<p>If your terminal shows another code, or you have not run <code>gateway login</code>, close this page.</p>
<form method="post" action="${confirmPath}"><button>The code is the same: sign in</button></form>
</html>
`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, each => entities[each] ?? each);
}
