import type { ErrorKind, GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';

/** Further attempts per request, over all requests of a process and so of all processes. */
export const retryShare = 0.2;
/** The most further attempts that can be left over; one comes each second, however few requests there are. */
export const spareRetries = 5;
/** The most attempts that can be owed, of those that were not to be refused. */
const mostOwed = 10;
/** The most hedges that can be saved up. Their targets do not fail. */
const mostHedges = 100;
/** The wait before the first retry in milliseconds, doubled for each further one; the half of it is random. */
const firstWaitMs = 250;
/** The longest wait that an upstream can ask for; a longer one is left to the client, in milliseconds. */
export const longestWaitMs = 5_000;

type FurtherAttempt = 'failover' | 'retry' | 'hedge';

/** Bounds the further attempts of requests, so that they do not multiply the load of upstreams that fail. */
export class RetryBudget {
  readonly #clock: Clock;
  /** Below 0 after attempts that were not to be refused. */
  #left = spareRetries;
  #hedges = 0;
  #countedAt = 0;
  /** Called with each further attempt, and each one that is refused. */
  onAttempt: (kind: FurtherAttempt | 'refused') => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a request. */
  sent(): void {
    this.#left = Math.min(spareRetries, this.#left + retryShare);
    this.#hedges = Math.min(mostHedges, this.#hedges + retryShare);
  }

  /** Records an attempt at another target that is not to be refused. It leaves less for later attempts. */
  failedOver(): void {
    this.#left = Math.max(-mostOwed, this.#left - 1);
    this.#hedges = Math.max(0, this.#hedges - 1);
    this.onAttempt('failover');
  }

  /** Takes one attempt from the budget; false if there is none left. */
  take(kind: FurtherAttempt): boolean {
    const taken = (kind === 'hedge' && this.#hedges >= 1) || this.#take(this.#clock.monotonic());
    if (taken) {
      this.#hedges = Math.max(0, this.#hedges - 1);
      this.onAttempt(kind);
      // A request that fails over may have another target left.
    } else if (kind !== 'failover') this.refuse();
    return taken;
  }

  /** Records that an attempt was refused. */
  refuse(): void {
    this.onAttempt('refused');
  }

  #take(now: number): boolean {
    const seconds = (now - this.#countedAt) / 1_000;
    this.#left = Math.min(spareRetries, this.#left + seconds);
    this.#countedAt = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

/** Kinds of errors of an upstream that may be over a moment later. */
const passing: ReadonlySet<ErrorKind> = new Set(['rate-limited', 'overloaded', 'upstream', 'timeout']);
/** Statuses below 500 that may be over a moment later. */
const passingStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** True if an upstream's error may be over a moment later. A timeout of the gateway's own has no status. */
function isPassing({ kind, details: { upstream, refusedKey } }: GatewayError): boolean {
  if (!upstream || refusedKey || !passing.has(kind)) return false;
  const { status } = upstream;
  if (status === undefined) return kind !== 'timeout';
  return status < 400 || status >= 500 || passingStatuses.has(status);
}

/**
 * Time to wait before a request is sent to a failed target again, in milliseconds: what the upstream asked for, and a
 * random part so that requests do not return together. Undefined if it is no use or would take too long.
 */
export function retryWait(error: GatewayError, earlier: number, random: () => number): number | undefined {
  const { retryAfterMs = 0 } = error.details;
  if (!isPassing(error) || retryAfterMs > longestWaitMs) return undefined;
  const waitMs = firstWaitMs * 2 ** earlier;
  return retryAfterMs + waitMs / 2 + (random() * waitMs) / 2;
}
