import { type Agent, globalAgent } from 'node:http';
import { globalAgent as globalHttpsAgent, type Agent as HttpsAgent } from 'node:https';
import { GatewayError } from '@model-gateway/canonical';
import { type Clock, systemClock } from '@model-gateway/clock';
import { addressRefusal, codeOf, noAccessToken, privateAddress } from './error-codes.ts';

/** The headers that give access until a time. */
export interface AccessToken {
  headers: Record<string, string>;
  /** In milliseconds since 1970. */
  expiresAt: number;
}

interface AccessTokensOptions {
  /** Gets a new token. @throws GatewayError of kind `upstream` that says what to change */
  fetch(signal: AbortSignal): Promise<AccessToken>;
  /** The service that gives tokens, for errors: a subject such as `Microsoft Entra ID`. */
  service: string;
  /** Longest wait for a token, in milliseconds. */
  waitMs?: number;
  /** The system's if absent. */
  clock?: Clock | undefined;
}

/** Time before its end in which a token is replaced while requests still use it, in milliseconds. */
const earlyMs = 4 * 60_000;
/** Time for which a failure is repeated without another try, in milliseconds. */
const failedMs = 1_000;
/** Longest wait for a token, in milliseconds. */
export const tokenMs = 10_000;

/** Returns the cause of a failure for the log: the words of an SDK's error, without the request and its secrets. */
export function causeOf(thrown: unknown): Error {
  const cause = new Error(thrown instanceof Error ? thrown.message.slice(0, maxCause) : 'unknown');
  return Object.assign(cause, { code: noAccessToken });
}

/** Returns the error of a token that a service did not give, with what to change. */
export function notGiven(service: string, advice: string, thrown: unknown): GatewayError {
  const isPrivate = codeOf(thrown) === privateAddress;
  const told = isPrivate
    ? 'the address of its token service is not public, and GATEWAY_PRIVATE_PROVIDERS forbids it for providers of the API'
    : advice;
  const message = `${service} gave no access token: ${told}.`;
  return new GatewayError('upstream', message, {}, { cause: isPrivate ? addressRefusal() : causeOf(thrown) });
}

/** The words of errors before a token service answers: those of DNS, connections, proxies and certificates. */
export const unreached = /ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|fetch failed|establish tunnel|certificate/i;

/** The most characters of an SDK's error that are kept. */
const maxCause = 500;

/** Keeps an access token and replaces it before it expires. One token is fetched at a time, whatever the requests. */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #clock: Clock;
  #token: AccessToken | undefined;
  #fetching: Promise<AccessToken> | undefined;
  #failure: { error: unknown; until: number } | undefined;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns the headers of a valid token; a promise if it has to be fetched first. @throws GatewayError */
  headers(): Record<string, string> | Promise<Record<string, string>> {
    const now = this.#clock.now();
    const token = this.#token;
    if (!token || now >= token.expiresAt) return this.#fetch(now).then(({ headers }) => headers);
    // The requests that follow may use the token for as long as the next one takes.
    if (now >= token.expiresAt - earlyMs) this.#fetch(now).catch(() => {});
    return token.headers;
  }

  #fetch(now: number): Promise<AccessToken> {
    if (this.#failure && now < this.#failure.until) return Promise.reject(this.#failure.error);
    this.#fetching ??= this.#fetchInTime().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchInTime(): Promise<AccessToken> {
    const { fetch, service, waitMs = tokenMs } = this.#options;
    const late = Promise.withResolvers<never>();
    const ending = new AbortController();
    const timer = this.#clock.setTimeout(() => {
      ending.abort();
      late.reject(new GatewayError('timeout', `${service} did not give an access token in time.`));
    }, waitMs);
    try {
      this.#token = await Promise.race([fetch(ending.signal), late.promise]);
      this.#failure = undefined;
      return this.#token;
    } catch (error) {
      this.#failure = { error, until: this.#clock.now() + failedMs };
      throw error;
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }
}

/**
 * Returns the connections of a request to a token service, by `agent` if it is set. Where an SDK is given none, it takes the proxy
 * of the environment, for metadata servers, too. Those have no TLS, so that they are asked directly, by `plain`.
 */
export function tokenAgent({ protocol }: URL, agent?: HttpsAgent, plain: Agent = globalAgent): Agent {
  return protocol === 'https:' ? (agent ?? globalHttpsAgent) : plain;
}
