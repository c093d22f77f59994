import { anotherMayHelp, Failures, type GatewayError, type Route } from '@model-gateway/canonical';
import { retryWait } from './retry-budget.ts';

/** The failures of one request's routes, and what they mean for the routes that are left. */
export class RouteFailures {
  /** The failures of the model that was asked for. */
  readonly #ofAsked = new Failures();
  /** The models that no other target can help, by their names as fallbacks; undefined is the one that was asked for. */
  readonly #refusedBy = new Set<string | undefined>();
  /** The failed route that can be taken again soonest. */
  #soonest: { route: Route; failure: GatewayError } | undefined;
  /** Number of times that the request was sent again. */
  #retried = 0;

  /** Records a failure. Returns the routes of `left` that are still worth an attempt. */
  add(route: Route, failure: GatewayError, left: readonly Route[]): Route[] {
    const { fallback } = route;
    if (fallback === undefined) this.#ofAsked.add(failure);
    if (!this.#soonest || asksMs(failure) < asksMs(this.#soonest.failure)) this.#soonest = { route, failure };
    if (anotherMayHelp(failure)) return [...left];
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
   * Returns the route to take again, and the time to wait before in milliseconds; undefined if the request was sent again
   * `most` times, or if that is no use. The failures so far are then forgotten.
   */
  retry(most: number): { route: Route; waitMs: number } | undefined {
    const soonest = this.#soonest;
    if (!soonest || this.#retried >= most) return undefined;
    const waitMs = retryWait(soonest.failure, this.#retried, Math.random);
    if (waitMs === undefined) return undefined;
    this.#retried++;
    this.#soonest = undefined;
    return { route: soonest.route, waitMs };
  }
}

/** Time in milliseconds before a failed route can be taken again; infinite if that is no use. */
function asksMs(failure: GatewayError): number {
  return retryWait(failure, 0, () => 0) ?? Number.POSITIVE_INFINITY;
}
