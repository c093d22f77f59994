import { anotherMayHelp, Failures, type GatewayError, type Route } from '@model-gateway/canonical';
import { retryWait } from './retry-budget.ts';

/** The failures of one request's routes, and what they mean for the routes that are left. */
export class RouteFailures {
  /** The failures of the model that was asked for. */
  readonly #ofAsked = new Failures();
  /** The models that no other target can help, by their names as fallbacks; undefined is the one that was asked for. */
  readonly #refusedBy = new Set<string | undefined>();
  /** The failed attempts since the last retry. */
  #failed: { route: Route; failure: GatewayError }[] = [];
  /** Number of times that the request was sent again. */
  #retried = 0;

  /** Records a failure. Returns the routes of `left` that are still worth an attempt. */
  add(route: Route, failure: GatewayError, left: readonly Route[]): Route[] {
    const { fallback } = route;
    if (fallback === undefined) this.#ofAsked.add(failure);
    this.#failed.push({ route, failure });
    if (anotherMayHelp(failure))
      return isOfKey(failure) ? [...left] : left.filter(other => !isSameTarget(other, route));
    this.#refusedBy.add(fallback);
    // If the model that was asked for refuses the request, the fallbacks among the routes are for another cause.
    return fallback === undefined ? [] : left.filter(other => other.fallback !== fallback);
  }

  /** True if no target of the route's model can serve the request. */
  isRefused({ fallback }: Route): boolean {
    return this.#refusedBy.has(fallback);
  }

  /** The error for the client: of the model that was asked for, or `last` if none of its routes was taken. */
  error(last: GatewayError): GatewayError {
    return this.#ofAsked.isEmpty ? last : this.#ofAsked.error;
  }

  /**
   * Returns the route that can be taken again soonest, and the time to wait before in milliseconds; undefined if the request
   * was sent again `most` times, or if that is no use.
   */
  retry(most: number): { route: Route; waitMs: number } | undefined {
    if (this.#retried >= most) return undefined;
    const waits = this.#failed.flatMap(({ route, failure }) => {
      const waitMs = this.isRefused(route) ? undefined : retryWait(failure, this.#retried, Math.random);
      return waitMs === undefined ? [] : [{ route, waitMs }];
    });
    this.#failed = [];
    this.#retried++;
    return waits.toSorted((one, other) => one.waitMs - other.waitMs)[0];
  }
}

/** True for a failure that another API key of the same target may not meet: the key is refused, or used up. */
function isOfKey({ kind, details }: GatewayError): boolean {
  return details.refusedKey === true || kind === 'rate-limited' || kind === 'quota-exceeded';
}

/** True for routes to the same target that differ in their API keys only. */
function isSameTarget(one: Route, other: Route): boolean {
  const sameModel = one.provider === other.provider && one.model === other.model;
  return sameModel && one.key !== other.key && one.fallback === other.fallback;
}
