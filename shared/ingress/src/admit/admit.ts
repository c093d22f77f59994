import type { IncomingMessage } from 'node:http';
import type { EndWork, Token } from '@model-gateway/access';
import { type GatewayError, noUsage, type Usage } from '@model-gateway/canonical';
import { authorizationOf } from '@model-gateway/service';
import type { RunningCost } from '../costs/running-cost.ts';
import type { ReceivedForm } from '../form/received.ts';
import type { Reservation, TokenCount } from '../memory/budgets.ts';
import type { IngressDeps } from '../process/deps.ts';

/** A request whose token may make it, with what it holds until it is released. */
export class Admitted {
  readonly token: Token;
  /** The memory that the request holds. */
  readonly share: Reservation;
  /** Set when the token loses access mid-request, or when an administrator ends the request. */
  refusal: GatewayError | undefined;
  /** The request's upload, which is deleted on release. */
  form?: ReceivedForm;
  /** Ends what the request is doing now. Called by {@link end}. */
  endForRevocation: EndWork = nothing;
  /** Usage of the request; undefined while an attempt may have used something that is not known. */
  usage: Usage | undefined = noUsage;
  /** Its place in the limits and budgets, if it has one. */
  place?: RequestSlot;
  /** True once it was released. */
  over = false;
  readonly #requests: TokenCount;
  readonly #releaseToken: () => void;

  /**
   * Counts a request for its token, and ends it when the token loses access.
   * @throws GatewayError of kind `rate-limited` if the token has too many open requests
   */
  constructor({ access, shares, held }: IngressDeps, token: Token) {
    this.token = token;
    this.#requests = shares.requests;
    this.#requests.take(token.id, 1);
    this.share = held.share(token.id);
    this.#releaseToken = access.hold(token, this);
  }

  /** Ends the request with an error, whatever it is doing. */
  end(reason: GatewayError): void {
    this.refusal = reason;
    this.endForRevocation(reason);
  }

  release(error?: GatewayError): void {
    if (this.over) return;
    this.over = true;
    this.#releaseToken();
    this.#requests.give(this.token.id, 1);
    this.share.release();
    this.place?.end(this.usage, error?.details.unserved);
    this.form?.close().catch(() => {});
  }
}

function nothing(): void {}

/** Returns the token of `Authorization: Bearer`, or undefined. @throws GatewayError if several headers differ */
function bearerToken(request: IncomingMessage): string | undefined {
  const header = authorizationOf(request);
  if (!header) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}

/** Headers in which clients of Anthropic, Azure and Google send their key. */
const keyHeaders = ['x-api-key', 'api-key', 'x-goog-api-key'] as const;

/**
 * Returns the secrets that a request holds, one of which is its token's: `first`, and those of `Authorization: Bearer` and of the
 * headers of keys. Users leave a vendor's key in one of them.
 * @throws GatewayError if several `Authorization` headers differ
 */
export function secretsOf(request: IncomingMessage, first?: string): string[] {
  const sent = [first, bearerToken(request), ...keyHeaders.map(name => headerText(request, name))];
  return [...new Set(sent.filter(secret => secret !== undefined))];
}

/** Returns a header's text; undefined if it is absent or blank. */
export function headerText({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === 'string' && value.trim()) || undefined;
}

/** The place of a request, or of a response within a session, in its limits and budgets. */
export interface RequestSlot {
  /** Its cost, if it has a budget. */
  cost?: RunningCost | undefined;
  /** Ends it; `usage` is undefined if it is unknown. `unserved`: the request reached no upstream, and counts for nothing. */
  end(usage: Usage | undefined, unserved?: boolean): void;
}
