import type { IncomingMessage } from 'node:http';
import type { EndWork, Token } from '@model-gateway/access';
import { type GatewayError, noUsage, type Usage } from '@model-gateway/canonical';
import { authorizationOf } from '@model-gateway/service';
import type { Reservation } from './budgets.ts';
import type { RequestPlace } from './costs/request-place.ts';
import type { IngressDeps } from './deps.ts';
import type { ReceivedForm } from './form/received.ts';

/** A request whose token may make it, with what it holds until it is released. */
export interface Admitted {
  token: Token;
  /** The memory that the request holds. */
  share: Reservation;
  /** Set when the token loses access mid-request, or when an administrator ends the request. */
  refusal: GatewayError | undefined;
  /** The request's upload, which is deleted on release. */
  form?: ReceivedForm;
  /** Ends what the request is doing now. Called by {@link Admitted.end}. */
  endForRevocation: EndWork;
  /** Usage of the request; undefined while an attempt may have used something that is not known. */
  usage?: Usage | undefined;
  /** Its place in the limits and budgets, if it has one. */
  place?: RequestPlace;
  /** True once it was released. */
  over: boolean;
  /** Ends the request with an error, whatever it is doing. */
  end: EndWork;
  release(): void;
}

/**
 * Counts a request for its token, and ends it when the token loses access.
 * @throws GatewayError of kind `rate-limited` if the token has too many open requests
 */
export function admit({ access, shares, held }: IngressDeps, token: Token): Admitted {
  const releasePlace = shares.requests.open(token.id);
  const share = held.share(token.id);
  const admitted: Admitted = {
    token,
    share,
    refusal: undefined,
    usage: noUsage,
    endForRevocation() {},
    over: false,
    end(reason) {
      admitted.refusal = reason;
      admitted.endForRevocation(reason);
    },
    release() {
      admitted.over = true;
      releaseToken();
      releasePlace();
      share.release();
      admitted.place?.end(admitted.usage);
      admitted.form?.close().catch(() => {});
    },
  };
  const releaseToken = access.hold(token, admitted.end);
  return admitted;
}

/** Returns the token of `Authorization: Bearer`, or undefined. @throws GatewayError if several headers differ */
export function bearerToken(request: IncomingMessage): string | undefined {
  const header = authorizationOf(request);
  if (!header) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}

/** Returns the token of `x-api-key`, else of `Authorization: Bearer`: clients of the messages format send either. */
export function apiKeyOrBearer(request: IncomingMessage): string | undefined {
  return headerText(request, 'x-api-key') ?? bearerToken(request);
}

/** Returns a header's text; undefined if it is absent or blank. */
export function headerText({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === 'string' && value.trim()) || undefined;
}
