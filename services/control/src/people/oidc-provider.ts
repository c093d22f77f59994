import { GatewayError } from '@model-gateway/canonical';
import type { Log } from '@model-gateway/service';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { isLoopback, type OidcOptions } from './oidc-options.ts';

/** The longest time that the provider may take to answer, in seconds. */
const timeoutSeconds = 10;

/** The secrets of a sign-in between its start and its end, which only the browser that started it has. */
interface SignInChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** A user as the provider names it. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Null if the provider has not verified it. */
  email: string | null;
  /** The name that the provider suggests. It is no email address that the provider has not verified. */
  name: string;
  groups: string[];
}

type Claims = Record<string, unknown>;

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';

/** True if two claims are the same text but for case and blanks. */
function isSame(one: unknown, other: unknown): boolean {
  return String(one).trim().toLowerCase() === String(other).trim().toLowerCase();
}

/** An OpenID provider: authorization code flow with PKCE, state and nonce. */
export class OidcProvider {
  readonly #options: OidcOptions;
  readonly #log: Log;
  #found: Promise<Configuration> | undefined;

  constructor(options: OidcOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  /** Returns the URL at which the user signs in. @throws GatewayError of kind `upstream` if the provider cannot be reached */
  async start(): Promise<{ url: URL; checks: SignInChecks }> {
    const config = await this.#configuration();
    const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(config, {
      redirect_uri: this.#options.redirectUrl,
      scope: this.#options.scopes,
      response_type: 'code',
      code_challenge: await calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      state: checks.state,
      nonce: checks.nonce,
    });
    return { url, checks };
  }

  /** Returns the user who has signed in. `query` is that with which the provider returned. @throws GatewayError */
  async finish(query: string, { state, nonce, verifier }: SignInChecks): Promise<Identity> {
    const config = await this.#configuration();
    try {
      const tokens = await authorizationCodeGrant(config, new URL(`${this.#options.redirectUrl}${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('the provider returned no ID token');
      const more = config.serverMetadata().userinfo_endpoint
        ? await fetchUserInfo(config, tokens.access_token, claims.sub)
        : {};
      return this.#identity([claims, more], claims.iss, claims.sub);
    } catch (error) {
      this.#log.warn({ err: error }, 'a sign-in by OpenID Connect failed');
      if (error instanceof AuthorizationResponseError)
        throw new GatewayError('unauthenticated', 'The OpenID provider refused the sign-in.', {
          code: 'sign_in_refused',
        });
      throw new GatewayError(
        'unauthenticated',
        'The answer of the OpenID provider is not valid. Sign in again.',
        {
          code: 'sign_in_failed',
        },
      );
    }
  }

  /** Reads the claims of the ID token, and then those of the userinfo endpoint. */
  #identity(sources: readonly Claims[], issuer: string, subject: string): Identity {
    const named = (claim: string) => sources.find(claims => claims[claim] !== undefined) ?? {};
    // Both are of one source: another source's `email_verified` is about another address.
    const { email, email_verified: isVerified } = named('email');
    const groups = named(this.#options.groupsClaim)[this.#options.groupsClaim];
    const username = named('preferred_username').preferred_username;
    const verified = typeof email === 'string' && isVerified === true ? email : null;
    const isDenied = isVerified !== undefined && verified === null && isSame(username, email);
    const names = [isDenied ? undefined : username, verified, subject].filter(isText);
    return {
      issuer,
      subject,
      email: verified,
      name: String(names[0]).trim(),
      groups: (Array.isArray(groups) ? groups : [groups]).filter(group => typeof group === 'string'),
    };
  }

  /** Reads the provider's metadata once. After a failure the next sign-in tries again. */
  #configuration(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    this.#found ??= discovery(issuer, clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      execute: [enableNonRepudiationChecks, ...(isLoopback(issuer) ? [allowInsecureRequests] : [])],
    }).catch(error => {
      this.#found = undefined;
      this.#log.warn({ err: error, issuer: issuer.href }, 'the OpenID provider cannot be reached');
      throw new GatewayError('upstream', 'The OpenID provider cannot be reached.', {
        code: 'oidc_unreachable',
      });
    });
    return this.#found;
  }
}
